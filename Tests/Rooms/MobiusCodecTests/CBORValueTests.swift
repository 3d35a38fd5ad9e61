import Foundation
import JSONAgreement
import MobiusCodec
import TestTraits
import Testing

/// How values of each kind are written, and what they are read from.
@Suite("CBOR's values", .ownThread)
struct CBORValueTests {
    private func coded<Value: Codable>(_ value: Value) throws -> [UInt8] {
        var scratch = CodingScratch()
        var bytes: [UInt8] = []
        try CBORCodec(Value.self).encode(value, into: &bytes, scratch: &scratch)
        return bytes
    }

    private func read<Value: Codable>(_ type: Value.Type = Value.self, _ hex: String) throws -> Value {
        var scratch = CodingScratch()
        return try CBORCodec(type).value(of: bytes(hex: hex).span.bytes, scratch: &scratch)
    }

    private func again<Value: Codable>(_ value: Value) throws -> Value {
        try read(Value.self, hex(coded(value)))
    }

    @Test("any date is the same date again, and nearly all are seconds since 1970 or extended time")
    func dates() throws {
        var chance = SeededGenerator(1)
        for _ in 0..<4000 {
            let seconds = Double(bitPattern: chance.next())
            let near = Double.random(in: -2e9...2e9, using: &chance)
            for date in [
                Date(timeIntervalSinceReferenceDate: seconds), Date(timeIntervalSinceReferenceDate: near),
                Date(timeIntervalSince1970: near),
            ] where !date.timeIntervalSinceReferenceDate.isNaN {
                #expect(try again(date) == date)
            }
            let text = hex(try coded(Date(timeIntervalSinceReferenceDate: near)))
            #expect(text.hasPrefix("c1") || text.hasPrefix("d903e9a105"))
        }
        for date in [Date.distantPast, .distantFuture, Date(timeIntervalSinceReferenceDate: .infinity)] {
            #expect(try again(date) == date)
        }
        #expect(
            hex(try coded(Date(timeIntervalSinceReferenceDate: 0.1))) == "d903e9a105823836c24b1d27e4400ccccccccccccd")
    }

    @Test(
        "dates of others",
        arguments: [
            ("c0781d313939362d31322d31395431363a33393a35372e3132332d30383a3030", -127_264_802.877),
            ("c074323030312d30312d30315430303a30303a30305a", 0), ("c100", -978_307_200), ("c1f93c00", -978_307_199),
            ("c120", -978_307_201), ("d903e9a101 1a3a4fc880", 0), ("d903e9a1058220 1a749f9101", 0.5), ("f93c00", 1),
            ("01", 1), ("c174323030312d30312d30315430303a30303a30305a", nil), ("c07461", nil), ("f6", nil),
            ("c06a323030312d30322d3330", nil), ("d903e9a0", nil), ("d903e9a1058101", nil), ("d903e9a10641ff", nil),
            ("d903e9a20100281864", nil), ("c1c101", nil),
            ("d903e9a1058221c251ffffffffffffffffffffffffffffffffff", nil),
        ] as [(String, Double?)])
    func foreignDates(_ hex: String, _ seconds: Double?) throws {
        #expect((try? read(Date.self, hex))?.timeIntervalSinceReferenceDate == seconds)
    }

    @Test(
        "dates beyond all that there is neither trap nor take long",
        arguments: ["1b7fffffffffffffff", "3b7fffffffffffffff"])
    func farDates(_ exponent: String) throws {
        _ = try? read(Date.self, "d903e9a10582\(exponent)01")
        _ = try? read(Decimal.self, "c482\(exponent)01")
        #expect(throws: DecodingError.self) { try read(Decimal.self, "c482\(exponent)01") }
        #expect(try read(Decimal.self, "c482\(exponent)00") == 0)
    }

    @Test("any decimal is the same decimal again, and equal ones are equal bytes")
    func decimals() throws {
        var chance = SeededGenerator(2)
        for _ in 0..<5000 {
            let digits = UInt128(chance.next()) << 64 | UInt128(chance.next())
            let significand = Decimal(string: "\(digits >> UInt128.random(in: 0...127, using: &chance))") ?? 0
            let exponent = Int.random(in: -128...127, using: &chance)
            let decimal = Decimal(
                sign: Bool.random(using: &chance) ? .plus : .minus, exponent: exponent, significand: significand)
            guard !decimal.isNaN else { continue }
            #expect(try again(decimal) == decimal, "\(decimal)")
        }
        #expect(try coded(Decimal(string: "1.10")!) == coded(Decimal(string: "1.1")!))
        #expect(hex(try coded(Decimal(string: "273.15")!)) == "c48221196ab3")
        #expect(try again(Decimal.nan).isNaN)
        #expect(try again(Decimal.greatestFiniteMagnitude) == .greatestFiniteMagnitude)
        #expect(try again(Decimal.leastNonzeroMagnitude) == .leastNonzeroMagnitude)
        for (hex, text) in [("05", "5"), ("3863", "-100"), ("fb3ff199999999999a", "1.1"), ("c2420100", "256")] {
            #expect(try read(Decimal.self, hex) == Decimal(string: text))
        }
        for hex in ["6131", "c48101", "c4820102 03", "c4826101", "c48201f93c00", "c482188001", "f97c00"] {
            #expect(throws: DecodingError.self, "\(hex)") { try read(Decimal.self, hex) }
        }
    }

    @Test("floating-point numbers keep every bit, also those of a NaN")
    func bits() throws {
        var chance = SeededGenerator(3)
        let signalling = Double(bitPattern: 0x7ff0_0000_0000_0001)
        for number in [signalling, -.nan, Double(nan: 5, signaling: false), Double(bitPattern: 0x7ff4_0000_0000_0000)] {
            #expect(try again(number).bitPattern == number.bitPattern)
        }
        for _ in 0..<4000 {
            let number = Double(bitPattern: chance.next())
            #expect(try again(number).bitPattern == number.bitPattern)
            let single = Float(bitPattern: UInt32(truncatingIfNeeded: chance.next()))
            #expect(try again(single).bitPattern == single.bitPattern)
        }
        // All halves.
        var scratch = CodingScratch()
        for bits in UInt16.min ... .max {
            let half = [0xf9, UInt8(bits >> 8), UInt8(bits & 0xff)]
            let double = try CBORCodec(Double.self).decode(half.span.bytes, scratch: &scratch)
            let single = try CBORCodec(Float.self).decode(half.span.bytes, scratch: &scratch)
            var written: [UInt8] = []
            try CBORCodec(Double.self).encode(double, into: &written, scratch: &scratch)
            try CBORCodec(Float.self).encode(single, into: &written, scratch: &scratch)
            guard written != half + half else { continue }
            Issue.record("\(hex(half)) becomes \(hex(written))")
        }
    }

    @Test("a number is read as any type that holds it")
    func numbers() throws {
        #expect(try read(Int.self, "f93c00") == 1)
        #expect(try read(UInt8.self, "c241ff") == 255)
        #expect(try read(Int8.self, "c3417f") == -128)
        #expect(try read(Double.self, "187b") == 123)
        #expect(try read(Double.self, "3bffffffffffffffff") == -0x1p64)
        #expect(try read(Double.self, "c249010000000000000000") == 0x1p64)
        #expect(try read(Float.self, "fb3ff199999999999a") == 1.1)
        #expect(try read(UInt128.self, "c2520000ffffffffffffffffffffffffffffffff") == .max)
        for hex in ["fb7e37e43c8800759c", "f97e00", "f93e00"] {
            #expect(throws: DecodingError.self) { try read(Int.self, hex) }
        }
        for hex in ["fb7e37e43c8800759c", "fb0000000000000001"] {
            #expect(throws: DecodingError.self) { try read(Float.self, hex) }
        }
        #expect(try read(Double.self, "3b0020000000000002") == -0x1.0000000000002p53)
        #expect(throws: DecodingError.self) { try read(UInt.self, "20") }
        #expect(throws: DecodingError.self) { try read(Int64.self, "3b8000000000000000") }
        #expect(throws: DecodingError.self) { try read(UInt128.self, "c25101" + String(repeating: "00", count: 16)) }
        #expect(throws: DecodingError.self) { try read(Float.self, "c250" + String(repeating: "ff", count: 16)) }
        for hex in ["6131", "f5", "4101", "80", "f0"] {
            for body in [
                { _ = try read(Int.self, hex) }, { _ = try read(Double.self, hex) }, { _ = try read(Float.self, hex) },
            ] as [() throws -> Void] { #expect(throws: DecodingError.self) { try body() } }
        }
    }

    @Test("UUIDs, URLs and data")
    func others() throws {
        let uuid = UUID(uuidString: "7c9e6679-7425-40de-944b-e07fc1f90ae7")!
        #expect(hex(try coded(uuid)) == "d825507c9e6679742540de944be07fc1f90ae7")
        #expect(try again(uuid) == uuid)
        #expect(try read(UUID.self, "507c9e6679742540de944be07fc1f90ae7") == uuid)
        #expect(try read(UUID.self, hex(coded(uuid.uuidString))) == uuid)
        #expect(try again(["u": uuid]) == ["u": uuid])
        for wrong in ["d825417c", "617c", "00"] { #expect(throws: DecodingError.self) { try read(UUID.self, wrong) } }
        #expect(throws: DecodingError.self) { try read(URL.self, "d82060") }
        #expect(throws: DecodingError.self) { try read(Data.self, "64415149 44") }
        #expect(throws: DecodingError.self) { try read(Data.self, "c24101") }
        let data = Data((0...255).map { UInt8($0) })
        #expect(try again(data) == data)
    }

    @Test("texts must be UTF-8, every piece of them, and may hold anything else")
    func texts() throws {
        #expect(try read(String.self, "6300010a") == "\0\u{1}\n")
        for wrong in ["61ff", "62c328", "63eda080", "7f61c361a9ff"] {
            #expect(throws: DecodingError.self, "\(wrong)") { try read(String.self, wrong) }
        }
        #expect(try read([String: Int].self, "a17f61616162ff01") == ["ab": 1])
        #expect(throws: DecodingError.self) { try read([String: Int].self, "a161ff01") }
        #expect(throws: DecodingError.self) { try read(String.self, "7f4161ff") }
        #expect(throws: DecodingError.self) { try read(String.self, "7f7f6161ffff") }
    }
}
