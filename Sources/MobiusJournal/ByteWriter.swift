import MobiusWire

/// Appends numbers and byte strings to an array that its owner reuses.
enum ByteWriter {
    /// Appends a number in base 128, low digits first (unsigned LEB128): one byte up to 127.
    static func append(_ number: UInt64, to bytes: inout [UInt8]) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    /// Appends bytes after their number.
    static func append(_ content: [UInt8], to bytes: inout [UInt8]) {
        append(UInt64(content.count), to: &bytes)
        bytes.append(contentsOf: content)
    }

    /// Appends a time: its 64 bits as a number.
    static func append(_ time: WallTime, to bytes: inout [UInt8]) {
        append(UInt64(bitPattern: time.milliseconds), to: &bytes)
    }

    /// Appends an attempt.
    static func append(_ attempt: Attempt, to bytes: inout [UInt8]) {
        append(attempt.epoch, to: &bytes)
        append(UInt64(attempt.number), to: &bytes)
    }
}
