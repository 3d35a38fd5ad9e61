import Foundation
import MobiusCodec

/// Something measured in this process: a value that a coding of ours encodes or decodes, and Foundation's JSON doing the same.
public struct CodecCase: Sendable {
    /// Its name in the table, such as `codec-json-encode-tiny`.
    public let name: String
    /// How many values make a batch of some milliseconds.
    public let batch: Int
    /// Makes the floor: a function that codes so many values with `JSONEncoder` or `JSONDecoder`.
    public let makeFloor: @Sendable () throws -> Batch
    /// Makes ours.
    public let makeOurs: @Sendable () throws -> Batch

    /// Codes so many values.
    public typealias Batch = (_ values: Int) throws -> Void

    /// All of them.
    public static let all: [CodecCase] = cases(of: JSONCoder.self) + cases(of: FastCoder.self)

    /// Both directions of all values.
    private static func cases<Coder: CoderUnderTest>(of coder: Coder.Type) -> [CodecCase] {
        both(coder, "tiny", 2000, Command.tiny) + both(coder, "small", 1000, Command.small)
            + both(coder, "4k", 40, Shelf.ofBooks) + both(coder, "64k", 3, Mixture.ofAllKinds)
    }

    private static func both<Coder: CoderUnderTest, Value: CodedValue>(
        _ coder: Coder.Type, _ size: String, _ batch: Int, _ value: Value
    ) -> [CodecCase] {
        [
            CodecCase(
                name: "codec-\(Coder.name)-encode-\(size)", batch: batch,
                makeFloor: { Floor.encoding(value) }, makeOurs: { encoding(value, by: Coder.coding(of: Value.self)) }),
            CodecCase(
                name: "codec-\(Coder.name)-decode-\(size)", batch: batch,
                makeFloor: { try Floor.decoding(value) },
                makeOurs: { try decoding(value, by: Coder.coding(of: Value.self)) }),
        ]
    }

    /// As a runtime does it: a scratch and a buffer are kept.
    ///
    /// The scratch is a variable of the batch, whose accesses nobody checks.
    private static func encoding<Value>(_ value: Value, by coding: any PayloadCodec<Value>) -> Batch {
        var kept = CodingScratch()
        var buffer: [UInt8] = []
        return { count in
            var scratch = CodingScratch()
            swap(&scratch, &kept)
            defer { swap(&scratch, &kept) }
            for _ in 0..<count {
                buffer.removeAll(keepingCapacity: true)
                try coding.encode(value, into: &buffer, scratch: &scratch)
                keep(&buffer)
            }
        }
    }

    private static func decoding<Value: CodedValue>(_ value: Value, by coding: any PayloadCodec<Value>) throws -> Batch
    {
        var kept = CodingScratch()
        var bytes: [UInt8] = []
        try coding.encode(value, into: &bytes, scratch: &kept)
        guard try coding.decode(bytes.span.bytes, scratch: &kept) == value else { throw NotTheSame() }
        return { [bytes] count in
            var scratch = CodingScratch()
            swap(&scratch, &kept)
            defer { swap(&scratch, &kept) }
            for _ in 0..<count {
                var value = try coding.decode(bytes.span.bytes, scratch: &scratch)
                keep(&value)
            }
        }
    }
}

/// What comes back is another value: its speed would mean nothing.
struct NotTheSame: Error {}

/// Foundation's coders, made once.
enum Floor {
    static func encoding<Value: CodedValue>(_ value: Value) -> CodecCase.Batch {
        let encoder = JSONEncoder()
        return { count in
            for _ in 0..<count {
                var data = try encoder.encode(value)
                keep(&data)
            }
        }
    }

    static func decoding<Value: CodedValue>(_ value: Value) throws -> CodecCase.Batch {
        let data = try JSONEncoder().encode(value)
        let decoder = JSONDecoder()
        return { count in
            for _ in 0..<count {
                var value = try decoder.decode(Value.self, from: data)
                keep(&value)
            }
        }
    }
}
