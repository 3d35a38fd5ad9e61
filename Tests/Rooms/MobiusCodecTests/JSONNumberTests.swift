import JSONAgreement
import MobiusCodec
import Testing

@Suite("JSON reads numbers to the nearest")
struct JSONNumberTests {
    /// Texts of up to 20 digits, many of them just between two doubles or floats, with points and exponents anywhere.
    private static func text(by chance: inout SeededGenerator) -> String {
        let bits = chance.one(of: [24, 25, 53, 54, 64])
        var number = chance.next() >> UInt64(64 - bits)
        let room = number.leadingZeroBitCount
        // Between two numbers of `bits - 1` bits, or right beside.
        if room > 0 { number <<= UInt64(chance.number(below: room)) }
        number = number &+ UInt64(chance.number(below: 3)) &- 1
        var text = "\(number)"
        if chance.chance(oneIn: 2) {
            text.insert(".", at: text.index(text.startIndex, offsetBy: chance.number(below: text.count) + 1))
            if text.hasSuffix(".") { text += "0" }
        }
        if chance.chance(oneIn: 2) {
            text +=
                chance.one(of: ["e", "E", "e+", "e-", "E-"]) + "\(chance.number(below: chance.one(of: [5, 30, 60])))"
        }
        return chance.one(of: ["", "-"]) + text
    }

    @Test("as the standard library does", arguments: 1...10 as ClosedRange<UInt64>)
    func nearest(_ seed: UInt64) throws {
        var chance = SeededGenerator(seed)
        var scratch = CodingScratch()
        for _ in 0..<2000 {
            let text = Self.text(by: &chance)
            let bytes = Array(text.utf8)
            let double = try JSONCodec(Double.self).decode(bytes.span.bytes, scratch: &scratch)
            #expect(double.bitPattern == Double(text)?.bitPattern, "\(text)")
            guard let expected = Float(text), expected.isFinite, !expected.isZero || double.isZero else { continue }
            let float = try JSONCodec(Float.self).decode(bytes.span.bytes, scratch: &scratch)
            #expect(float.bitPattern == expected.bitPattern, "\(text)")
        }
    }

    @Test("integers of all lengths, and no larger ones")
    func integers() throws {
        var scratch = CodingScratch()
        func read<Integer: Codable>(_ type: Integer.Type, _ text: String) throws -> Integer {
            try JSONCodec(type).decode(Array(text.utf8).span.bytes, scratch: &scratch)
        }
        for shift in 0..<64 {
            for number in [UInt64(1) << shift, UInt64.max >> shift] {
                #expect(try read(UInt64.self, "\(number)") == number)
                #expect(try read(Int128.self, "-\(number)") == -Int128(number))
                if let signed = Int64(exactly: number) { #expect(try read(Int64.self, "-\(signed)") == -signed) }
            }
        }
        #expect(try read(Int64.self, "-9223372036854775808") == .min)
        for tooLarge in ["9223372036854775808", "-9223372036854775809"] {
            #expect(throws: CodingFailure.self) { try read(Int64.self, tooLarge) }
        }
        #expect(throws: CodingFailure.self) { try read(UInt64.self, "18446744073709551616") }
        #expect(throws: CodingFailure.self) { try read(UInt64.self, "-9999999999999999999") }
    }
}
