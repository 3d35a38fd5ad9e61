package import MobiusWire

/// Reads what a journal holds; anything that cannot have been written is ``JournalError`` with code `damaged`.
package typealias JournalReader = ByteReader<JournalError>

extension JournalError: ByteReaderFailure {
    package static func truncated(_ field: StaticString) -> JournalError { unreadable("it ends within \(field)") }

    package static func trailing(_ count: Int, after field: StaticString) -> JournalError {
        unreadable("\(count) bytes are left over after \(field)")
    }

    package static func invalid(_ field: StaticString, _ problem: StaticString) -> JournalError {
        unreadable("\(field) \(problem)")
    }

    private static func unreadable(_ how: String) -> JournalError {
        JournalError(.damaged, "A part of the journal cannot be read: \(how).")
    }
}

extension JournalReader {
    /// Reads bytes behind their number.
    package mutating func countedBytes(_ field: StaticString) throws(JournalError) -> [UInt8] {
        Array(try counted(field))
    }

    /// Reads a time: its 64 bits as a number.
    package mutating func time() throws(JournalError) -> WallTime {
        WallTime(milliseconds: Int64(bitPattern: try number("time")))
    }

    /// Reads an attempt.
    package mutating func attempt() throws(JournalError) -> Attempt {
        Attempt(epoch: try number("epoch"), number: try shortNumber("attempt"))
    }
}

extension ByteWriter {
    /// Writes a time: its 64 bits as a number.
    package mutating func time(_ time: WallTime) {
        number(UInt64(bitPattern: time.milliseconds))
    }

    /// Writes an attempt.
    package mutating func attempt(_ attempt: Attempt) {
        number(attempt.epoch)
        number(UInt64(attempt.number))
    }
}
