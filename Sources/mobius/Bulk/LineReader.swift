#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Reads lines from a file or a pipe, as they come.
package struct LineReader {
    /// A line without its end, or one that is longer than the limit.
    package enum Line: Equatable {
        case bytes([UInt8])
        case tooLong
    }

    /// The reason why nothing more can be read.
    package struct Failure: Error {
        /// The system's words.
        package let reason: String
    }

    private let descriptor: Int32
    private let limit: Int
    private var buffer: [UInt8] = []
    private var start = 0
    private var isEnded = false
    /// Lines that were read ahead.
    private var ahead: [Line] = []
    /// The bytes that were read.
    package private(set) var count = 0

    /// Reads from an open file; lines have at most `limit` bytes.
    package init(_ descriptor: Int32, limit: Int) {
        self.descriptor = descriptor
        self.limit = limit
    }

    /// Whether ``next()`` would wait for the writer of a pipe.
    package var mustWait: Bool {
        guard ahead.isEmpty, !isEnded, !hasLine else { return false }
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, 0) == 0
    }

    /// Waits at most so many milliseconds for more.
    package func wait(milliseconds: Int32) {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        _ = poll(&entry, 1, milliseconds)
    }

    /// The next line; `nil` at the end.
    package mutating func next() throws(Failure) -> Line? {
        if !ahead.isEmpty { return ahead.removeFirst() }
        var isTooLong = false
        while true {
            if let end = lineEnd() {
                let line = trimmed(start..<end)
                start = end + 1
                return isTooLong || line.count > limit ? .tooLong : .bytes(line)
            }
            if isEnded {
                guard start < buffer.count || isTooLong else { return nil }
                let line = trimmed(start..<buffer.count)
                start = buffer.count
                return isTooLong || line.count > limit ? .tooLong : .bytes(line)
            }
            if buffer.count - start > limit + 2 {
                isTooLong = true
                start = buffer.count
            }
            try fill()
        }
    }

    /// Gives a line back, so that it is the next one.
    package mutating func putBack(_ line: Line) { ahead.insert(line, at: 0) }

    /// All that was not read as lines yet.
    package mutating func rest() throws(Failure) -> [UInt8] {
        while !isEnded { try fill() }
        defer { start = buffer.count }
        return Array(buffer[start...])
    }

    private var hasLine: Bool { buffer[start...].contains(0x0A) }

    private func lineEnd() -> Int? {
        buffer.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress, start < bytes.count,
                let found = memchr(base + start, 0x0A, bytes.count - start)
            else { return nil }
            return found - UnsafeMutableRawPointer(mutating: base)
        }
    }

    private func trimmed(_ range: Range<Int>) -> [UInt8] {
        let end = range.isEmpty || buffer[range.upperBound - 1] != 0x0D ? range.upperBound : range.upperBound - 1
        return Array(buffer[range.lowerBound..<end])
    }

    private mutating func fill() throws(Failure) {
        if start > 0 {
            buffer.removeFirst(start)
            start = 0
        }
        let size = 1 << 16
        let held = buffer.count
        buffer.append(contentsOf: repeatElement(0, count: size))
        var result = 0
        repeat {
            result = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress.map { $0 + held }, size) }
        } while result < 0 && errno == EINTR
        let code = errno
        buffer.removeLast(size - max(0, result))
        guard result >= 0 else { throw Failure(reason: String(cString: strerror(code))) }
        count += result
        isEnded = result == 0
    }
}
