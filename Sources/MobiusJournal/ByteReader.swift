package import MobiusWire

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

    /// Reads one byte.
    package mutating func readByte() throws(JournalError) -> UInt8 {
        guard position < bytes.count else { throw Self.damaged("it ends too soon") }
        defer { position += 1 }
        return bytes[position]
    }

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

    /// Reads UTF-8 after its number of bytes.
    package mutating func readText() throws(JournalError) -> String {
        guard let text = String(validating: try readBytes(), as: UTF8.self) else { throw Self.damaged("it is no text") }
        return text
    }

    /// Reads a time.
    package mutating func readTime() throws(JournalError) -> WallTime {
        WallTime(milliseconds: Int64(bitPattern: try readNumber()))
    }

    /// Reads an attempt.
    package mutating func readAttempt() throws(JournalError) -> Attempt {
        Attempt(epoch: try readNumber(), number: try readShortNumber())
    }

    /// Fails when bytes are left over.
    package func finish() throws(JournalError) {
        guard isAtEnd else { throw Self.damaged("bytes are left over") }
    }

    private static func damaged(_ how: String) -> JournalError {
        JournalError(.damaged, "A list in the journal cannot be read: \(how).")
    }
}
