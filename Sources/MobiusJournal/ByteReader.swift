/// Reads what ``ByteWriter`` wrote; total, so any bytes are a value or ``JournalError`` with code `damaged`.
package struct ByteReader {
    private let bytes: [UInt8]
    private var position = 0

    /// Starts at the first byte.
    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Whether every byte was read.
    package var isAtEnd: Bool { position == bytes.count }

    /// Reads a number of 1 to 10 bytes.
    package mutating func readNumber() throws(JournalError) -> UInt64 {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            // The tenth byte has room for the 64th bit only.
            guard shift < 63 || byte <= 1 else { throw Self.damaged("a number is too large") }
            value |= UInt64(byte & 0x7f) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
        throw Self.damaged("it ends within a number")
    }

    /// Reads a number that fits 32 bits.
    package mutating func readShortNumber() throws(JournalError) -> UInt32 {
        guard let value = UInt32(exactly: try readNumber()) else { throw Self.damaged("a number is too large") }
        return value
    }

    /// Reads bytes after their number.
    package mutating func readBytes() throws(JournalError) -> [UInt8] {
        guard let count = Int(exactly: try readNumber()), count <= bytes.count - position else {
            throw Self.damaged("it is shorter than it says")
        }
        defer { position += count }
        return Array(bytes[position..<position + count])
    }

    /// Fails when bytes are left over.
    package func finish() throws(JournalError) {
        guard isAtEnd else { throw Self.damaged("bytes are left over") }
    }

    private static func damaged(_ how: String) -> JournalError {
        JournalError(.damaged, "A list in the journal cannot be read: \(how).")
    }
}

/// Appends numbers and byte strings to an array that its owner reuses.
package enum ByteWriter {
    /// Appends a number in base 128, low digits first (unsigned LEB128): one byte up to 127.
    package static func append(_ number: UInt64, to bytes: inout [UInt8]) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    /// Appends bytes after their number.
    package static func append(_ content: [UInt8], to bytes: inout [UInt8]) {
        append(UInt64(content.count), to: &bytes)
        bytes.append(contentsOf: content)
    }
}
