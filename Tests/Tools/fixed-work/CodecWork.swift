import MobiusCodec

/// A value to bytes and back, in each coding that programs use.
enum CodecWork {
    static let rows = rows("json", JSONCodec(FetchEvent.self)) + rows("fast", FastCodec(FetchEvent.self))

    private static let value = FetchEvent.fetched(
        etag: "0123456789abcdef0123456789abcdef", status: 200, answer: 100_000_001, next: "none")
    private static let count = 4096

    private static func rows(_ name: String, _ codec: some PayloadCodec<FetchEvent>) -> [FixedWork.Row] {
        [
            FixedWork.Row(name: "codec-\(name)-encode", unit: "value") {
                var scratch = CodingScratch()
                var buffer: [UInt8] = []
                func encode() throws {
                    buffer.removeAll(keepingCapacity: true)
                    try codec.encode(value, into: &buffer, scratch: &scratch)
                }
                try encode()
                try counted { for _ in 0..<count { try encode() } }
                return count
            },
            FixedWork.Row(name: "codec-\(name)-decode", unit: "value") {
                var scratch = CodingScratch()
                var bytes: [UInt8] = []
                try codec.encode(value, into: &bytes, scratch: &scratch)
                keep(try codec.decode(bytes.span.bytes, scratch: &scratch))
                try counted { for _ in 0..<count { keep(try codec.decode(bytes.span.bytes, scratch: &scratch)) } }
                return count
            },
        ]
    }
}
