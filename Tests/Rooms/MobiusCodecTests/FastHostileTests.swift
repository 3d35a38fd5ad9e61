import Foundation
import JSONAgreement
import MobiusCodec
import TestTraits
import Testing

@Suite("The fast coding against any bytes", .ownThread)
struct FastHostileTests {
    private static let value = {
        var value = FastEverything()
        value.signed = [-70000, 5]
        value.flags = [true]
        value.text = "text"
        value.bytes = [1, 2, 3]
        value.date = Date(timeIntervalSinceReferenceDate: 0.5)
        value.uuid = UUID(uuidString: "00010203-0405-0607-0809-0A0B0C0D0E0F")
        value.url = URL(string: "a:b")
        value.decimal = 3
        value.colors = [.red: .low]
        value.holes = [nil, 4]
        value.tables = [1: ["k": [0.5]]]
        value.steps = [.all([.fetched(FastPage("u", 3, note: ""), after: 1)], named: ["s": .stopped])]
        return value
    }()

    @Test("knows every prefix of a value from the value")
    func prefixes() throws {
        let bytes = try Fast.bytes(Self.value)
        for count in 0..<bytes.count {
            let prefix = Array(bytes.prefix(count))
            #expect(throws: CodingFailure.self) { try Fast.value(prefix, as: FastEverything.self) }
            #expect(throws: CodingFailure.self) { try FastText.json(of: prefix.span.bytes) }
        }
    }

    @Test(
        "believes no count that the bytes cannot hold",
        arguments: [
            [5, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f], [6, 5, 1], [8, 1, 0xff, 0xff, 0xff, 0xff, 0x7f],
            [8, 4, 2, 0, 0, 0, 0, 0, 0, 0, 0], [9, 5, 1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1],
            [7, 0xf8, 0x7f, 11, 0xff, 0xff, 0xff, 0xff, 0x0f, 0], [8, 8, 2, 8, 0xff, 8, 0xff],
        ] as [[UInt8]])
    func counts(_ bytes: [UInt8]) {
        #expect(throws: CodingFailure.self) { try Fast.value(bytes, as: String.self) }
        #expect(throws: CodingFailure.self) { try Fast.value(bytes, as: Data.self) }
        #expect(throws: CodingFailure.self) { try Fast.value(bytes, as: [Int].self) }
        #expect(throws: CodingFailure.self) { try Fast.value(bytes, as: [Double].self) }
        #expect(throws: CodingFailure.self) { try Fast.value(bytes, as: [[[Int]]].self) }
        #expect(throws: CodingFailure.self) { try Fast.value(bytes, as: [String: Int].self) }
        #expect(throws: CodingFailure.self) { try Fast.value(bytes, as: FastPage.self) }
        #expect(throws: CodingFailure.self) { try FastText.json(of: bytes.span.bytes) }
    }

    @Test(
        "refuses what is not well-formed",
        arguments: [
            ([5, 1, 0xff], "UTF-8"), ([5, 3, 0xed, 0xa0, 0x80], "UTF-8"), ([2, 2], "neither 0 nor 1"),
            ([12], "not known"), ([0xff], "not known"), ([8, 15, 1, 0], "not known"), ([7, 2], "no number"),
            ([7, 0x0f], "no number"), ([7, 0x9f, 1, 0x2c, 0, 0], "not known"), ([7, 1, 0, 0], "cannot be"),
            ([7, 1, 0xff, 0xff, 0xff, 0xff, 1, 0], "cannot be"),
            ([7, 0xf0, 0xff, 0xff, 0xff, 0xff, 1, 0, 0], "cannot be"),
            ([0] + Array(repeating: 0xff, count: 18) + [4], "too large"),
            ([0] + Array(repeating: 0x80, count: 30) + [0], "too large"),
        ] as [([UInt8], String)])
    func malformed(_ bytes: [UInt8], _ reason: String) {
        let failure = #expect(throws: CodingFailure.self) { try FastText.json(of: bytes.span.bytes) }
        #expect(failure?.reason.contains(reason) == true, "\(failure?.reason ?? "")")
    }

    @Test("reads a number of 64 bits to its last bit, and no further")
    func longNumbers() throws {
        let nines = Array(repeating: 0xff, count: 9) as [UInt8]
        #expect(try Fast.value([0] + nines + [1], as: UInt64.self) == .max)
        #expect(try Fast.value([1] + nines + [1], as: Int64.self) == .min)
        #expect(Fast.reason([0] + nines + [2], as: UInt64.self).contains("too large"))
        #expect(Fast.reason([5] + nines + [2], as: String.self).contains("too large"))
        #expect(Fast.reason([0] + nines + [0x81, 0], as: UInt64.self).contains("too large"))
    }

    @Test("reads no element or key twice")
    func repeated() {
        #expect(Fast.reason([8, 1, 2, 2, 2], as: Set<Int>.self).contains("twice"))
        #expect(Fast.reason([9, 1, 1, 2, 2, 2, 2, 2], as: [Int: Int].self).contains("twice"))
        #expect(Fast.reason([5, 2, 0x31, 0x78], as: Decimal.self).contains("Decimal"))
    }

    @Test("makes of changed bytes an error or a value that it reads back", arguments: 0..<4)
    func mutations(_ seed: UInt64) throws {
        var dice = SeededGenerator(seed)
        let whole = try Fast.bytes(Self.value)
        var values = 0
        for _ in 0..<5000 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...3, using: &dice) {
                let at = Int.random(in: 0..<bytes.count, using: &dice)
                switch UInt8.random(in: 0..<4, using: &dice) {
                case 0: bytes[at] = .random(in: 0...255, using: &dice)
                case 1: bytes[at] ^= 1 << UInt8.random(in: 0..<8, using: &dice)
                case 2: bytes.remove(at: at)
                default: bytes.insert(.random(in: 0...255, using: &dice), at: at)
                }
            }
            guard let value = try? Fast.value(bytes, as: FastEverything.self) else { continue }
            values += 1
            let again = try Fast.bytes(value, deterministic: true)
            // Compared as bytes, because a NaN is no NaN.
            #expect(try Fast.bytes(Fast.value(again, as: FastEverything.self), deterministic: true) == again)
            // May fail at a field that was stepped over, such as a text that is not UTF-8.
            _ = try? FastText.json(of: bytes.span.bytes)
        }
        #expect(values > 100)
    }
}
