import Foundation
import MobiusCodec

/// A value with all that CBOR has, and enums and keys as programs have them.
struct Plenty: Codable {
    indirect enum Tree: Codable {
        case leaf(Int8)
        case node([Tree], name: String)
        case none
    }

    var tree: Tree?
    var text: String?
    var numbers: [Double]?
    var single: Float?
    var small: UInt16?
    var large: Int64?
    var wide: [Int128]?
    var wider: UInt128?
    var flags: [String: Bool]?
    var numbered: [Int: Plenty]?
    var data: Data?
    var date: Date?
    var decimal: Decimal?
    var id: UUID?
    var link: URL?

    enum CodingKeys: Int, CodingKey {
        case tree = 1, text, numbers, single, small, large, wide, wider, flags, numbered, data, date, decimal, id, link
    }

    /// Takes an input; traps when what is made of it does not hold.
    static func take(_ bytes: UnsafeRawBufferPointer) {
        var scratch = CodingScratch()
        let span = RawSpan(_unsafeBytes: bytes)
        let text = try? CBORText.json(of: span)
        guard let value = try? CBORCodec(Plenty.self).decode(span, scratch: &scratch) else { return }
        precondition(text != nil, "what can be read can be shown")
        let said = say(value, CBORCodec(Plenty.self, deterministic: true), &scratch)
        // Bytes are compared, because a NaN is not equal to itself.
        for coding in [CBORCodec(Plenty.self, deterministic: true), CBORCodec(Plenty.self)] {
            let written = say(value, coding, &scratch)
            guard let again = try? coding.decode(written.span.bytes, scratch: &scratch) else {
                preconditionFailure("what was written cannot be read")
            }
            let twice = say(again, CBORCodec(Plenty.self, deterministic: true), &scratch)
            precondition(twice == said, "a value is another one when it is read again")
        }
    }

    private static func say(
        _ value: Plenty, _ coding: CBORCodec<Plenty>, _ scratch: inout CodingScratch
    ) -> [UInt8] {
        var bytes: [UInt8] = []
        do {
            try coding.encode(value, into: &bytes, scratch: &scratch)
        } catch {
            preconditionFailure("what was read cannot be written: \(error)")
        }
        return bytes
    }

    /// Inputs that make sense.
    static var seeds: [[UInt8]] {
        var scratch = CodingScratch()
        var value = Plenty(
            tree: .node([.leaf(-1), .none, .node([], name: "é😀")], name: ""), text: "a\n",
            numbers: [0.1, 1.5, -.infinity],
            single: 0.1, small: 7, large: .min, wide: [.max, .min, 1 << 64], wider: .max,
            flags: ["a": true, "7": false],
            data: Data([1, 2, 3]), date: Date(timeIntervalSinceReferenceDate: 0.1), decimal: Decimal(string: "-273.15"),
            id: UUID(uuidString: "7c9e6679-7425-40de-944b-e07fc1f90ae7"), link: URL(string: "http://a.b/c?d=e%20f"))
        var seeds = [say(value, CBORCodec(Plenty.self), &scratch)]
        value.numbered = [-1: Plenty(date: Date(timeIntervalSinceReferenceDate: 5)), 300: Plenty(text: "x")]
        seeds.append(say(value, CBORCodec(Plenty.self, deterministic: true), &scratch))
        seeds.append(say(Plenty(numbered: [1: Plenty(small: 24, data: Data())]), CBORCodec(Plenty.self), &scratch))
        // Indefinite lengths, names for numbers, halves, simple values, and a date as text.
        seeds.append(
            [0xbf, 0x64] + Array("text".utf8) + [0x7f, 0x61, 0x61, 0x60, 0xff, 3, 0x9f, 0xf9, 0x3c, 0, 0xff, 0xff])
        seeds.append([0xa2, 12, 0xc0, 0x74] + Array("2013-03-21T20:04:00Z".utf8) + [0x80, 0xf8, 0xff])
        return seeds
    }
}
