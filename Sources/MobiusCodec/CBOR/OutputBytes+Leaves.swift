import Foundation

// Values that have a tag or a form of their own in CBOR.
extension OutputBytes {
    mutating func appendBinary(_ data: Data) {
        data.withUnsafeBytes { appendString(.bytes, $0.assumingMemoryBound(to: UInt8.self)) }
    }

    mutating func appendBinary(_ uuid: UUID) {
        appendHead(.tag, CBORTag.uuid.number)
        withUnsafeBytes(of: uuid.uuid) { appendString(.bytes, $0.assumingMemoryBound(to: UInt8.self)) }
    }
}
