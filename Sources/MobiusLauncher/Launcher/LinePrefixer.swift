import MobiusProcess

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Splits a stream of bytes into complete lines and prefixes them.
///
/// Bytes of an incomplete line are buffered, up to ``longestLine``; a longer line is broken into several. Terminal
/// control characters are shown as codes (see `TerminalText`), unless the bytes are to be passed unchanged.
/// terminal is shown as its code (see `TerminalText`), unless all bytes are to be passed as they are.
package struct LinePrefixer: Sendable {
    /// The length at which longer lines are broken: 4 MiB.
    package static let longestLine = 4 << 20

    private let prefix: [UInt8]
    private let isRaw: Bool
    private var partial: [UInt8] = []

    /// Makes a prefixer; with `isRaw` the bytes of lines are passed unchanged.
    package init(prefix: String, isRaw: Bool = false) {
        self.prefix = Array(prefix.utf8)
        self.isRaw = isRaw
    }

    /// Adds bytes; returns the lines that they complete, each with prefix and line break.
    package mutating func append(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        var output: [UInt8] = []
        var rest = bytes
        // memchr checks many bytes per step: a worker may write megabytes without a line break.
        while let start = rest.baseAddress, let end = memchr(start, 0x0A, rest.count) {
            let length = start.distance(to: UnsafeRawPointer(end))
            partial.append(contentsOf: rest[..<length])
            emit(into: &output)
            rest = UnsafeRawBufferPointer(rebasing: rest[(length + 1)...])
        }
        partial.append(contentsOf: rest)
        while partial.count > Self.longestLine {
            let beyond = Array(partial[Self.longestLine...])
            partial.removeSubrange(Self.longestLine...)
            emit(into: &output)
            partial = beyond
        }
        return output
    }

    /// Returns the incomplete line, if any, as a line; call it when the stream has ended.
    package mutating func finish() -> [UInt8] {
        var output: [UInt8] = []
        if !partial.isEmpty { emit(into: &output) }
        return output
    }

    private mutating func emit(into output: inout [UInt8]) {
        if partial.last == UInt8(ascii: "\r") { partial.removeLast() }
        output.append(contentsOf: prefix)
        if isRaw {
            output.append(contentsOf: partial)
        } else {
            TerminalText.append(partial, to: &output)
        }
        output.append(UInt8(ascii: "\n"))
        partial.removeAll(keepingCapacity: partial.count <= 4096)
    }
}
