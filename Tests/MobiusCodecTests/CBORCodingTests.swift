import Foundation
import MobiusCodec
import Testing

@Suite("CBOR as a payload coding")
struct CBORCodingTests {
    @Test("values drawn by a seed are read back as they were", arguments: 1...20 as ClosedRange<UInt64>)
    func drawn(_ seed: UInt64) throws {
        var chance = SeededGenerator(seed)
        var scratch = CodingScratch()
        for _ in 0..<250 {
            let value = Sample.drawn(depth: 4, by: &chance)
            var bytes: [UInt8] = []
            try CBORCoding(Sample.self).encode(value, into: &bytes, scratch: &scratch)
            #expect(try CBORCoding(Sample.self).decode(bytes.span.bytes, scratch: &scratch) == value)
        }
    }
}
