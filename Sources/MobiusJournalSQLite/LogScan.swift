#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Reads SQLite's write-ahead log (sqlite.org/fileformat2.html, section 4) to count its intact frames: SQLite itself
/// treats the frames after a broken one as never committed.
enum LogScan {
    /// The salts in the header of the open log; `nil` when it has no header.
    static func salts(_ file: CInt) -> UInt64? {
        withUnsafeTemporaryAllocation(byteCount: 8, alignment: 8) { buffer in
            guard pread(file, buffer.baseAddress, 8, 16) == 8 else { return nil }
            return buffer.load(as: UInt64.self)
        }
    }

    /// The number of intact frames from the first on, at most `limit`; `nil` when the log does not exist or has other
    /// salts.
    static func frames(of path: String, salts: UInt64, upTo limit: UInt64) -> UInt64? {
        guard limit > 0 else { return nil }
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { return nil }
        defer { close(file) }
        guard Self.salts(file) == salts else { return nil }
        let whole = count(file, upTo: limit)
        // A coordinator may have restarted the log meanwhile.
        return Self.salts(file) == salts ? whole : nil
    }

    private static func count(_ file: CInt, upTo limit: UInt64) -> UInt64 {
        withUnsafeTemporaryAllocation(byteCount: 24 + 65_536, alignment: 8) { buffer in
            guard pread(file, buffer.baseAddress, 32, 0) == 32 else { return 0 }
            let magic = word(buffer, 0, isBig: true)
            let size = Int(word(buffer, 8, isBig: true))
            guard magic & ~1 == 0x377f_0682, (512...65_536).contains(size) else { return 0 }
            let isBig = magic & 1 == 1
            var sum: (UInt32, UInt32) = (0, 0)
            add(buffer, 0..<24, isBig: isBig, to: &sum)
            guard sum == (word(buffer, 24, isBig: true), word(buffer, 28, isBig: true)) else { return 0 }
            var whole: UInt64 = 0
            while whole < limit {
                let offset = off_t(32 + whole * UInt64(24 + size))
                guard pread(file, buffer.baseAddress, 24 + size, offset) == 24 + size else { break }
                add(buffer, 0..<8, isBig: isBig, to: &sum)
                add(buffer, 24..<24 + size, isBig: isBig, to: &sum)
                // A frame's own salts need no comparison: the checksums start from the header, which contains the
                // salts.
                guard sum == (word(buffer, 16, isBig: true), word(buffer, 20, isBig: true)) else { break }
                whole += 1
            }
            return whole
        }
    }

    private static func word(_ buffer: UnsafeMutableRawBufferPointer, _ offset: Int, isBig: Bool) -> UInt32 {
        let word = buffer.load(fromByteOffset: offset, as: UInt32.self)
        return isBig ? UInt32(bigEndian: word) : UInt32(littleEndian: word)
    }

    private static func add(
        _ buffer: UnsafeMutableRawBufferPointer, _ range: Range<Int>, isBig: Bool, to sum: inout (UInt32, UInt32)
    ) {
        for offset in stride(from: range.lowerBound, to: range.upperBound, by: 8) {
            sum.0 = sum.0 &+ word(buffer, offset, isBig: isBig) &+ sum.1
            sum.1 = sum.1 &+ word(buffer, offset + 4, isBig: isBig) &+ sum.0
        }
    }
}
