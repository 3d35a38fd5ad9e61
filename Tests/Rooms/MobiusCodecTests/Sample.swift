import Foundation
import JSONAgreement

/// Values of many shapes.
indirect enum Sample: Codable, Equatable {
    case integer(Int), large(UInt64), small(Int8), number(Double), single(Float), text(String), flag(Bool), nothing
    case list([Sample]), table([String: Sample]), pair(first: String?, second: Int?, Sample), data(Data), date(Date)
    case url(URL), decimal(Decimal), numbered([Int: String]), record(Record), gaps([Int?]), huge(Int128)

    struct Record: Codable, Equatable {
        var a = 1
        var b: String?
        var c = [1.5, -0.25]
        var d = ["k": 2]
        var e: UInt16 = 7
        var f: Bool? = true
        var g: Inner?
    }

    struct Inner: Codable, Equatable {
        var name: String
        var rest: [Inner]?

        enum CodingKeys: String, CodingKey { case name = "ключ", rest = "a/\"b" }
    }

    static func drawn(depth: Int, by chance: inout SeededGenerator) -> Sample {
        let choice = Int.random(in: 0..<(depth > 0 ? 19 : 9), using: &chance)
        return choice < 9 ? leaf(choice, by: &chance) : branch(choice, depth: depth - 1, by: &chance)
    }

    private static func leaf(_ choice: Int, by chance: inout SeededGenerator) -> Sample {
        switch choice {
        case 0: .integer(chance.one(of: [0, 1, -1, .max, .min, Int.random(in: -99999...99999, using: &chance)]))
        case 1: .large(chance.next())
        case 2: .small(Int8.random(in: .min ... .max, using: &chance))
        case 3:
            .number(
                chance.one(of: [
                    0, -0.0, 0.1, 1e300, .leastNonzeroMagnitude, .greatestFiniteMagnitude, 1e15, 1e16, 1e17,
                    Double.random(in: -1000...1000, using: &chance),
                ]))
        case 4: .single(chance.one(of: [0, 0.1, 1e38, -3.5, Float.random(in: -10...10, using: &chance)]))
        case 5: .text(chance.text())
        case 6: .flag(Bool.random(using: &chance))
        case 7: .nothing
        default: .huge(chance.one(of: [Int128.max, .min, 5]))
        }
    }

    private static func branch(_ choice: Int, depth: Int, by chance: inout SeededGenerator) -> Sample {
        switch choice {
        case 9, 10:
            return .list((0..<Int.random(in: 0...4, using: &chance)).map { _ in drawn(depth: depth, by: &chance) })
        case 11:
            var table: [String: Sample] = [:]
            for _ in 0..<Int.random(in: 0...20, using: &chance) {
                table[chance.text()] = drawn(depth: depth, by: &chance)
            }
            return .table(table)
        case 12:
            return .pair(
                first: Bool.random(using: &chance) ? nil : chance.text(), second: Bool.random(using: &chance) ? nil : 3,
                drawn(depth: depth, by: &chance))
        case 13: return .data(Data(chance.text().utf8))
        case 14: return .date(Date(timeIntervalSinceReferenceDate: Double.random(in: -1e9...1e9, using: &chance)))
        case 15: return .decimal(Decimal(Int.random(in: -10000...10000, using: &chance)) / 100)
        case 16: return chance.one(of: [.numbered([1: "x", -5: "y"]), .url(URL(string: "http://a.b/c?d=e%20f")!)])
        case 17: return .record(Record(b: chance.one(of: [nil, "b"]), g: inner(depth: depth, by: &chance)))
        default: return .gaps([1, nil, 3])
        }
    }

    private static func inner(depth: Int, by chance: inout SeededGenerator) -> Inner? {
        guard depth > 0, Bool.random(using: &chance) else { return nil }
        let rest = (0..<Int.random(in: 0...2, using: &chance)).compactMap { _ in inner(depth: depth - 1, by: &chance) }
        return Inner(name: chance.text(), rest: Bool.random(using: &chance) ? nil : rest)
    }
}
