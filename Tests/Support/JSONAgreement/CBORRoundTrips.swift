import Foundation
import MobiusCodec

/// Whether values that are drawn come back from CBOR, and what becomes of bytes with mistakes.
package struct CBORRoundTrips {
    private var chance: SeededGenerator
    private var scratch = CodingScratch()
    /// How many values and damaged bytes were tried, and how many of these were values all the same.
    package private(set) var values = 0
    package private(set) var damaged = 0
    package private(set) var understood = 0
    /// The first things that went wrong.
    package private(set) var problems: [String] = []

    package init(seed: UInt64) {
        chance = SeededGenerator(seed)
    }

    /// Draws a type, and values of it.
    ///
    /// - Parameter mistakes: How often the bytes of each value are damaged.
    package mutating func run(values count: Int, mistakes: Int) {
        tryType(DrawnTypes.drawn(by: &chance, depth: 3), count, mistakes)
    }

    private mutating func tryType<Value: Drawn>(_ type: Value.Type, _ count: Int, _ mistakes: Int) {
        for _ in 0..<count where problems.count < 20 {
            values += 1
            let value = Value.drawn(by: &chance, depth: 3)
            for written in [coded(value, deterministic: false), coded(value, deterministic: true)] {
                guard let written, let again = try? CBORCodec(type).value(of: written.span.bytes, scratch: &scratch)
                else {
                    problems.append("\(type): it cannot be written and read: \(value)")
                    continue
                }
                if !comesBack(again) { problems.append("\(type): another value: \(written)") }
                // JSON makes the same of the value, if it has a form for it.
                if let expected = throughJSON(value), expected != again, !isFickle(type) {
                    problems.append("\(type): unlike JSON: \(written)")
                }
            }
            guard let bytes = coded(value, deterministic: false) else { continue }
            for _ in 0..<mistakes { tryDamaged(type, bytes) }
        }
    }

    private mutating func tryDamaged<Value: Drawn>(_ type: Value.Type, _ bytes: [UInt8]) {
        damaged += 1
        var bytes = bytes
        chance.damageBinary(&bytes)
        guard let value = try? CBORCodec(type).value(of: bytes.span.bytes, scratch: &scratch) else { return }
        understood += 1
        // What a type makes of strange bytes may be another value once it is written; from then on it is the same.
        guard let said = coded(value, deterministic: true),
            let again = try? CBORCodec(type).value(of: said.span.bytes, scratch: &scratch), comesBack(again)
        else { return problems.append("\(type): another value, or none: \(bytes)") }
        if (try? CBORText.json(of: bytes.span.bytes)) == nil { problems.append("\(type): cannot be shown: \(bytes)") }
    }

    /// Whether a value that was read is written and read again; a NaN, which mistakes may make, is not equal to itself.
    private mutating func comesBack<Value: Drawn>(_ value: Value) -> Bool {
        guard let bytes = coded(value, deterministic: true) else { return false }
        guard let again = try? CBORCodec(Value.self).value(of: bytes.span.bytes, scratch: &scratch) else {
            return false
        }
        return again == value || "\(value)".contains("nan") || isFickle(Value.self)
    }

    /// Values that know their place, which another order of keys changes, or that make something of anything.
    private func isFickle(_ type: any Any.Type) -> Bool {
        "\(type)".contains("Placed") || "\(type)".contains("Lenient")
    }

    private mutating func coded<Value: Drawn>(_ value: Value, deterministic: Bool) -> [UInt8]? {
        var bytes: [UInt8] = []
        let coding = CBORCodec(Value.self, deterministic: deterministic)
        return (try? coding.encode(value, into: &bytes, scratch: &scratch)).map { bytes }
    }

    private mutating func throughJSON<Value: Drawn>(_ value: Value) -> Value? {
        var bytes: [UInt8] = []
        let coding = JSONCodec(Value.self)
        guard (try? coding.encode(value, into: &bytes, scratch: &scratch)) != nil else { return nil }
        return try? coding.decode(bytes.span.bytes, scratch: &scratch)
    }
}

extension SeededGenerator {
    /// Makes a mistake or two in bytes that are no text.
    package mutating func damageBinary(_ bytes: inout [UInt8]) {
        for _ in 0..<number(below: 2) + 1 where !bytes.isEmpty {
            let place = number(below: bytes.count)
            // Heads of all kinds, more often than chance would make them.
            let head: UInt8 = one(of: [
                0, 0x17, 0x18, 0x1b, 0x20, 0x3b, 0x40, 0x41, 0x5f, 0x60, 0x61, 0x7f, 0x80, 0x81, 0x9f, 0xa0, 0xa1, 0xbf,
                0xc0,
                0xc1, 0xc2, 0xc3, 0xc4, 0xd8, 0xd9, 0xf4, 0xf5, 0xf6, 0xf7, 0xf8, 0xf9, 0xfa, 0xfb, 0xff,
            ])
            switch number(below: 6) {
            case 0: bytes[place] = head
            case 1: bytes.remove(at: place)
            case 2: bytes.insert(head, at: place)
            case 3: bytes[place] = UInt8(truncatingIfNeeded: next())
            case 4: bytes[place] ^= 1 << UInt8(number(below: 8))
            default: bytes.insert(contentsOf: bytes[place..<place + number(below: bytes.count - place) + 1], at: place)
            }
        }
    }
}
