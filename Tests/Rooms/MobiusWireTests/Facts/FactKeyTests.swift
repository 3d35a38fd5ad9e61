import Foundation
import MobiusWire
import TestTraits
import Testing

@Suite("Keys of facts", .ownThread)
struct FactKeyTests {
    @Test("their order is that of the values")
    func order() {
        var generator = SeededGenerator(state: 1)
        for _ in 0..<100_000 {
            let (one, other) = (generator.factValue(), generator.factValue())
            let (key, otherKey) = (one.key, other.key)
            let order = one.order(other)
            #expect(key.lexicographicallyPrecedes(otherKey) == (order < 0), "\(one) \(other)")
            #expect((key == otherKey) == (order == 0), "\(one) \(other)")
        }
    }

    @Test("each key is read as a value that has it")
    func roundTrip() {
        var generator = SeededGenerator(state: 2)
        for _ in 0..<20_000 {
            let value = generator.factValue()
            let read = FactValue(key: value.key)
            #expect(read.map { $0.order(value) } == 0, "\(value)")
            if case .number(let number) = read { #expect(Int64(exactly: number) == nil) }
        }
    }

    @Test("nothing else is read than what is written")
    func hostile() {
        var generator = SeededGenerator(state: 3)
        for _ in 0..<50_000 {
            var key = generator.factValue().key
            for _ in 0...generator.number(upTo: 2) {
                switch generator.number(upTo: 3) {
                case 0: key = Array(key.dropLast())
                case 1: key.append(UInt8(generator.number(upTo: 255)))
                case 2 where !key.isEmpty:
                    key[generator.number(upTo: key.count - 1)] = UInt8(generator.number(upTo: 255))
                default: key[0..<min(1, key.count)] = [UInt8(generator.number(upTo: 5))]
                }
            }
            if let value = FactValue(key: key) { #expect(value.key == key) }
        }
        #expect(FactValue(key: []) == nil)
        #expect(FactValue(key: [4] + [UInt8](repeating: 65, count: 257)) == nil)
        #expect(FactValue(key: [4, 0xFF]) == nil)
        #expect(FactValue(key: FactValue.number(0x1p60).key + [0, 0]) == nil)
        #expect(FactValue(key: FactValue.number(1.5).key + [0, 1]) == nil)
    }

    /// Journals keep them: they must not change.
    @Test(
        "known keys",
        arguments: [
            (.bool(false), "0100"), (.bool(true), "0101"), (.integer(0), "028000000000000000"),
            (.integer(-1), "02400fffffffffffff"), (.number(1.5), "02bff8000000000000"),
            (.integer(100), "02c059000000000000"), (.number(100), "02c059000000000000"),
            (.number(-0.0), "028000000000000000"), (.integer(1 << 53 + 1), "02c3400000000000000001"),
            (.integer(.max), "02c3dfffffffffffff03ff"), (.integer(.min), "023c1fffffffffffff"),
            (.time(WallTime(milliseconds: 0)), "038000000000000000"),
            (.time(WallTime(milliseconds: -1)), "037fffffffffffffff"), (.text(""), "04"), (.text("é"), "04c3a9"),
            (.number(.nan), ""), (.number(.infinity), ""),
        ] as [(FactValue, String)])
    func known(value: FactValue, hexadecimal: String) {
        #expect(value.key.map { String(format: "%02x", $0) }.joined() == hexadecimal)
    }

    @Test("a text has 256 bytes in its key, cut between scalars")
    func cut() {
        let text = String(repeating: "a", count: 255)
        #expect(FactValue.text(text + "bc").key == FactValue.text(text + "b").key)
        #expect(FactValue.text(text + "b").key.count == FactValue.maximumKey)
        #expect(FactValue.text(text + "é").key == FactValue.text(text).key)
        let foxes = FactValue.text(String(repeating: "🦊", count: 100))
        #expect(FactValue(key: foxes.key) == .text(String(repeating: "🦊", count: 64)))
        // One character of many scalars is cut within.
        #expect(FactValue.text("e" + String(repeating: "\u{301}", count: 200)).key.count == 256)
    }

    @Test(
        "a value is a scalar in JSON",
        arguments: [
            (.bool(true), "true"), (.integer(100), "100"), (.integer(.min), "-9223372036854775808"),
            (.number(1.5), "1.5"), (.text("a \"b\""), #""a \"b\"""#), (.text("2026-12-01"), #""2026-12-01""#),
            (.time(WallTime(milliseconds: 0)), #""1970-01-01T00:00:00.000Z""#),
        ] as [(FactValue, String)])
    func json(value: FactValue, text: String) throws {
        #expect(String(decoding: try JSONEncoder().encode(value), as: UTF8.self) == text)
        #expect(try JSONDecoder().decode(FactValue.self, from: Data(text.utf8)) == value)
    }

    @Test("a number beyond whole ones is read as a double, anything else is refused")
    func otherJSON() throws {
        let number = try JSONDecoder().decode(FactValue.self, from: Data("18446744073709551615".utf8))
        #expect(number == .number(0x1p64))
        for text in ["null", "[]", "{}", "[1]"] {
            #expect(throws: DecodingError.self) { try JSONDecoder().decode(FactValue.self, from: Data(text.utf8)) }
        }
    }
}
