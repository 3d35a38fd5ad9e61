import Foundation
import MobiusCodec
import Testing

/// The examples of RFC 8949, appendix A.
@Suite("CBOR as its RFC's examples show it")
struct CBORVectorTests {
    private func read<Value: Codable>(_ type: Value.Type = Value.self, _ hex: String) throws -> Value {
        var scratch = CodingScratch()
        return try CBORCodec(type).value(of: bytes(hex: hex).span.bytes, scratch: &scratch)
    }

    private func written<Value: Codable>(_ value: Value) throws -> String {
        var scratch = CodingScratch()
        var whole: [UInt8] = []
        try CBORCodec(Value.self).encode(value, into: &whole, scratch: &scratch)
        var sorted: [UInt8] = []
        try CBORCodec(Value.self, deterministic: true).encode(value, into: &sorted, scratch: &scratch)
        #expect(sorted == whole)
        return hex(whole)
    }

    /// A value that is written so, and read from it.
    private func both<Value: Codable & Equatable>(
        _ value: Value, _ hex: String, at location: SourceLocation = #_sourceLocation
    ) throws {
        #expect(try written(value) == hex, sourceLocation: location)
        #expect(try read(Value.self, hex) == value, sourceLocation: location)
    }

    @Test("integers, and bignums beyond 64 bits")
    func integers() throws {
        for (number, hex) in [
            (0, "00"), (1, "01"), (10, "0a"), (23, "17"), (24, "1818"), (25, "1819"), (100, "1864"), (1000, "1903e8"),
            (1_000_000, "1a000f4240"), (1_000_000_000_000, "1b000000e8d4a51000"), (-1, "20"), (-10, "29"),
            (-100, "3863"), (-1000, "3903e7"),
        ] { try both(number, hex) }
        try both(UInt64.max, "1bffffffffffffffff")
        try both(Int128(UInt64.max) + 1, "c249010000000000000000")
        try both(-Int128(UInt64.max) - 1, "3bffffffffffffffff")
        try both(-Int128(UInt64.max) - 2, "c349010000000000000000")
        try both(UInt128.max, "c250ffffffffffffffffffffffffffffffff")
        try both(Int128.min, "c3507fffffffffffffffffffffffffffffff")
        try both(Int128.max, "c2507fffffffffffffffffffffffffffffff")
    }

    @Test("floating-point numbers in the fewest bytes")
    func floats() throws {
        for (number, hex) in [
            (0.0, "f90000"), (1.0, "f93c00"), (1.1, "fb3ff199999999999a"), (1.5, "f93e00"), (65504.0, "f97bff"),
            (100000.0, "fa47c35000"), (3.4028234663852886e+38, "fa7f7fffff"), (1.0e+300, "fb7e37e43c8800759c"),
            (5.960464477539063e-8, "f90001"), (0.00006103515625, "f90400"), (-4.0, "f9c400"),
            (-4.1, "fbc010666666666666"), (.infinity, "f97c00"), (-.infinity, "f9fc00"),
        ] { try both(number, hex) }
        #expect(try written(-0.0) == "f98000")
        #expect(try read(Double.self, "f98000").sign == .minus)
        #expect(try written(Double.nan) == "f97e00")
        for hex in ["f97e00", "fa7fc00000", "fb7ff8000000000000"] { #expect(try read(Double.self, hex).isNaN) }
        for hex in ["fa7f800000", "fb7ff0000000000000"] { #expect(try read(Double.self, hex) == .infinity) }
        for hex in ["faff800000", "fbfff0000000000000"] { #expect(try read(Double.self, hex) == -.infinity) }
        try both(Float(100000), "fa47c35000")
        try both(Float(1.5), "f93e00")
        try both(Float.infinity, "f97c00")
    }

    @Test("truth, nothing, and strings")
    func strings() throws {
        try both(false, "f4")
        try both(true, "f5")
        try both(Int?.none, "f6")
        #expect(try read(Int?.self, "f7") == nil)
        try both(Data(), "40")
        try both(Data([1, 2, 3, 4]), "4401020304")
        for (text, hex) in [
            ("", "60"), ("a", "6161"), ("IETF", "6449455446"), ("\"\\", "62225c"), ("ü", "62c3bc"), ("水", "63e6b0b4"),
            ("𐅑", "64f0908591"),
        ] { try both(text, hex) }
        #expect(try read(Data.self, "5f42010243030405ff") == Data([1, 2, 3, 4, 5]))
        #expect(try read(String.self, "7f657374726561646d696e67ff") == "streaming")
    }

    @Test("dates, URLs and tags without meaning here")
    func tags() throws {
        let date = Date(timeIntervalSince1970: 1_363_896_240)
        #expect(try read(Date.self, "c074323031332d30332d32315432303a30343a30305a") == date)
        try both(date, "c11a514b67b0")
        try both(date + 0.5, "c1fb41d452d9ec200000")
        #expect(try read(Data.self, "d74401020304") == Data([1, 2, 3, 4]))
        #expect(try read(Data.self, "d818456449455446") == Data("dIETF".utf8))
        try both(
            URL(string: "http://www.example.com")!, "d82076687474703a2f2f7777772e6578616d706c652e636f6d")
    }

    struct AB: Codable, Equatable {
        var a: Int
        var b: [Int]
    }

    struct Fun: Codable, Equatable {
        var fun: Bool
        var amount: Int

        enum CodingKeys: String, CodingKey { case fun = "Fun", amount = "Amt" }
    }

    /// An array of numbers and arrays of numbers.
    enum Nested: Codable, Equatable {
        case one(Int), many([Int])

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            do {
                self = .one(try container.decode(Int.self))
            } catch {
                self = .many(try container.decode([Int].self))
            }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .one(let number): try container.encode(number)
            case .many(let numbers): try container.encode(numbers)
            }
        }
    }

    @Test("arrays and maps, with their length or with an end")
    func containers() throws {
        let nested: [Nested] = [.one(1), .many([2, 3]), .many([4, 5])]
        let many = "0102030405060708090a0b0c0d0e0f101112131415161718181819"
        try both([Int](), "80")
        try both([1, 2, 3], "83010203")
        try both(nested, "8301820203820405")
        try both(Array(1...25), "9819" + many)
        try both([String: Int](), "a0")
        try both([1: 2], "a10102")
        try both(AB(a: 1, b: [2, 3]), "a26161016162820203")
        try both([["b": "c"]], "81a161626163")
        #expect(try read([Int: Int].self, "a201020304") == [1: 2, 3: 4])
        let letters = ["a": "A", "b": "B", "c": "C", "d": "D", "e": "E"]
        #expect(try read([String: String].self, "a56161614161626142616361436164614461656145") == letters)
        #expect(try read([Int].self, "9fff") == [])
        for hex in [
            "9f018202039f0405ffff", "9f01820203820405ff", "83018202039f0405ff", "83019f0203ff820405",
        ] { #expect(try read([Nested].self, hex) == nested) }
        #expect(try read([Int].self, "9f" + many + "ff") == Array(1...25))
        #expect(try read(AB.self, "bf61610161629f0203ffff") == AB(a: 1, b: [2, 3]))
        #expect(try read(Fun.self, "bf6346756ef563416d7421ff") == Fun(fun: true, amount: -2))
        #expect(try read([[String: String]].self, "81bf61626163ff") == [["b": "c"]])
    }
}

/// The bytes of hexadecimal digits.
func bytes(hex: String) -> [UInt8] {
    let digits = hex.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}

/// Bytes as hexadecimal digits.
func hex(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}
