import Foundation
import MobiusCodec

/// Whether our JSON and Foundation's agree, on values that are drawn and on bytes with mistakes.
package struct Agreement {
    private var chance: SeededGenerator
    private var scratch = CodingScratch()
    private let encoder = JSONEncoder()
    private let decoder = JSONDecoder()
    /// How many values and texts were compared.
    package private(set) var values = 0
    package private(set) var texts = 0
    /// How many texts showed a known difference.
    package private(set) var known = 0
    /// The first differences that are no known ones, each in a paragraph.
    package private(set) var differences: [String] = []

    package init(seed: UInt64) {
        chance = SeededGenerator(seed)
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    }

    /// Draws a type, and values of it.
    ///
    /// - Parameter mistakes: How many texts with mistakes are made of each value.
    package mutating func compare(values count: Int, mistakes: Int) {
        compare(DrawnTypes.drawn(by: &chance, depth: 3), count, mistakes)
    }

    private mutating func compare<Value: Drawn>(_ type: Value.Type, _ count: Int, _ mistakes: Int) {
        let (coding, sorting) = (JSONCodec(type), JSONCodec(type, sortedKeys: true))
        for _ in 0..<count where differences.count < 20 {
            values += 1
            let value = Value.drawn(by: &chance, depth: 3)
            guard let (bytes, foundations) = encode(value, coding, sorting) else { continue }
            // What the value becomes on Foundation's way: `.some(nil)`, for example, comes back as `nil`.
            let expected = decode(type, Data(foundations))
            check(decode(coding, bytes) == expected, "ours is read as another value", type, bytes)
            check(decode(coding, foundations) == expected, "Foundation's is read as another", type, foundations)
            check(decode(type, Data(bytes)) == expected, "ours is another value to Foundation", type, bytes)
            for _ in 0..<mistakes {
                var damaged = bytes
                chance.damage(&damaged)
                compare(coding, damaged)
            }
        }
    }

    /// The bytes of both coders, if a value has a form; and whether they are the same when keys are sorted.
    private mutating func encode<Value: Drawn>(
        _ value: Value, _ coding: JSONCodec<Value>, _ sorting: JSONCodec<Value>
    ) -> (ours: [UInt8], foundations: [UInt8])? {
        var sorted: [UInt8] = []
        var ours: [UInt8] = []
        let foundations = Outcome { try Array(encoder.encode(value)) }
        let outcome = Outcome {
            try sorting.append(value, to: &sorted, scratch: &scratch)
            return sorted
        }
        check(
            outcome == foundations || KnownDifference.isShorterPath(outcome, foundations),
            "\(outcome.unlike(foundations))",
            Value.self, sorted)
        do { try coding.encode(value, into: &ours, scratch: &scratch) } catch { return nil }
        guard case .value(let bytes) = foundations else { return nil }
        return (ours, bytes)
    }

    private mutating func compare<Value: Drawn>(_ coding: JSONCodec<Value>, _ bytes: [UInt8]) {
        texts += 1
        if let difference = difference(of: bytes, as: Value.self) { check(false, difference, Value.self, bytes) }
    }

    /// How both differ in what they read, unless it is a known difference.
    package mutating func difference<Value: Codable & Equatable>(of bytes: [UInt8], as type: Value.Type) -> String? {
        let (ours, foundations) = (decode(JSONCodec(type), bytes), decode(type, Data(bytes)))
        if ours == foundations { return nil }
        if KnownDifference.isAnotherMistake(ours, foundations, type: type) || KnownDifference.isAnotherEncoding(bytes) {
            known += 1
            return nil
        }
        guard
            let simpler = KnownDifference.withoutInexactIntegers(bytes) ?? KnownDifference.withoutUnusualKeys(bytes)
        else { return ours.unlike(foundations) }
        known += 1
        return difference(of: simpler, as: type)
    }

    private mutating func decode<Value: Codable>(_ coding: JSONCodec<Value>, _ bytes: [UInt8]) -> Outcome<Value> {
        Outcome { try coding.value(of: bytes.span.bytes, scratch: &scratch) }
    }

    private func decode<Value: Codable>(_ type: Value.Type, _ data: Data) -> Outcome<Value> {
        Outcome { try decoder.decode(type, from: data) }
    }

    private mutating func check(
        _ agree: Bool, _ what: @autoclosure () -> String, _ type: any Any.Type, _ bytes: [UInt8]
    ) {
        if !agree {
            differences.append("\(type):\n  \(what())\n  \(String(decoding: bytes, as: UTF8.self).prefix(3000))")
        }
    }
}

/// What came of coding: a value, or an error's kind and place.
enum Outcome<Value: Equatable>: Equatable, CustomStringConvertible {
    case value(Value)
    case failure(String)

    init(_ body: () throws -> Value) {
        do { self = .value(try body()) } catch { self = .failure(Self.text(error)) }
    }

    private static func text(_ error: any Error) -> String {
        func path(_ path: [any CodingKey]) -> String { path.map(\.stringValue).joined(separator: ".") }
        return switch error {
        case DecodingError.typeMismatch(let type, let context): "no \(type) at \(path(context.codingPath))"
        case DecodingError.valueNotFound(let type, let context): "missing \(type) at \(path(context.codingPath))"
        case DecodingError.keyNotFound(let key, let context): "no key \(key.stringValue) at \(path(context.codingPath))"
        case DecodingError.dataCorrupted(let context): "corrupted at \(path(context.codingPath))"
        case EncodingError.invalidValue(let value, let context): "\(value) has no form at \(path(context.codingPath))"
        default: "\(error)"
        }
    }

    /// What both say, from a little before the place where they begin to differ.
    func unlike(_ other: Outcome) -> String {
        let (one, other) = ("\(self)".unicodeScalars, "\(other)".unicodeScalars)
        let same = max(0, zip(one, other).prefix { $0 == $1 }.count - 40)
        func text(_ all: String.UnicodeScalarView) -> String {
            String(String.UnicodeScalarView(all.dropFirst(same).prefix(200)))
        }
        return "ours: \(text(one))\n  Foundation's: \(text(other))"
    }

    var description: String {
        switch self {
        case .value(let bytes as [UInt8]): String(decoding: bytes, as: UTF8.self)
        case .value(let value): "\(value)"
        case .failure(let text): "error: \(text)"
        }
    }
}
