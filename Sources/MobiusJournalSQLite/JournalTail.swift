import MobiusJournal
import MobiusWire

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The last commit of a journal; it distinguishes a log that lost its end from one that never had it.
struct TailMark: Equatable {
    /// The journal's identity; a restored journal has another one.
    var journal: JournalID
    /// The epoch that committed.
    var epoch: UInt64
    /// The number of the loop whose record was committed last; 0 when there is none.
    var loop: Int64 = 0
    /// The place of that record.
    var place = RecordPlace.start
    /// The number of commits without records in the epoch.
    var writes: UInt64 = 0
    /// The salts in the log's header, random numbers that change whenever the log restarts.
    var salts: UInt64 = 0
    /// The number of committed frames in the log.
    var frames: UInt64 = 0
    /// Whether a write failed; afterwards the pages that are read may differ from those on disk.
    var hasFailed = false
}

/// The mark of the last commit, in a mapped page of the file `FILE-tail` beside the journal.
///
/// It is written after a commit is on disk and before the commit is reported, with a few memory stores. It survives the
/// process; after a power cut it may be older than the journal, but never newer. Writes alternate between two slots,
/// each with a checksum, so an interrupted write leaves the mark before it. A clean stop removes the file.
final class JournalTail: @unchecked Sendable {
    // @unchecked: only the thread that uses the store touches it, one at a time.

    /// The newest mark.
    private(set) var mark: TailMark
    private let path: String
    private let memory: UnsafeMutableRawBufferPointer
    private var generation: UInt64

    private static let size = 4096
    private static let slotSize = 128
    private static let words = 11

    /// Opens or creates the file of the journal at `path`, and replaces its mark.
    ///
    /// - Throws: ``JournalError`` with code `notWritable`.
    init(beside path: String, _ mark: TailMark) throws(JournalError) {
        self.path = path + "-tail"
        self.mark = mark
        memory = try SideFile.map(self.path, size: Self.size)
        generation = Self.newest(UnsafeRawBufferPointer(memory))?.generation ?? 0
        write(mark)
    }

    deinit {
        munmap(memory.baseAddress, memory.count)
    }

    func write(_ mark: TailMark) {
        self.mark = mark
        generation &+= 1
        let slot = UnsafeMutableRawBufferPointer(
            rebasing: memory[Int(generation & 1) * Self.slotSize..<(Int(generation & 1) + 1) * Self.slotSize])
        var sum = RowChecksum()
        var offset = 0
        func store(_ word: UInt64) {
            slot.storeBytes(of: word, toByteOffset: offset, as: UInt64.self)
            sum.add(word)
            offset += 8
        }
        store(mark.journal.high)
        store(mark.journal.low)
        store(generation)
        store(mark.epoch)
        store(UInt64(bitPattern: mark.loop))
        store(mark.place.sequence)
        store(UInt64(mark.place.part))
        store(mark.writes)
        store(mark.salts)
        store(mark.frames)
        store(mark.hasFailed ? 1 : 0)
        slot.storeBytes(of: sum.value, toByteOffset: offset, as: Int64.self)
    }

    /// Deletes the file, once the journal's own file contains everything.
    func remove() {
        unlink(path)
    }

    // MARK: Reading

    /// The mark beside the journal at `path`; `nil` when there is none, or no complete one.
    static func read(beside path: String) -> TailMark? {
        let file = open(path + "-tail", O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard file >= 0 else { return nil }
        defer { close(file) }
        return withUnsafeTemporaryAllocation(byteCount: 2 * slotSize, alignment: 8) { buffer in
            guard pread(file, buffer.baseAddress, buffer.count, 0) == buffer.count else { return nil }
            return newest(UnsafeRawBufferPointer(buffer))?.mark
        }
    }

    private static func newest(_ memory: UnsafeRawBufferPointer) -> (generation: UInt64, mark: TailMark)? {
        let found = [0, 1].compactMap {
            slot(UnsafeRawBufferPointer(rebasing: memory[$0 * slotSize..<($0 + 1) * slotSize]))
        }
        return found.max { $0.generation < $1.generation }
    }

    private static func slot(_ memory: UnsafeRawBufferPointer) -> (generation: UInt64, mark: TailMark)? {
        var sum = RowChecksum()
        let words = (0..<words).map { memory.loadUnaligned(fromByteOffset: $0 * 8, as: UInt64.self) }
        for word in words { sum.add(word) }
        guard sum.value == memory.loadUnaligned(fromByteOffset: words.count * 8, as: Int64.self),
            let part = UInt32(exactly: words[6])
        else { return nil }
        let mark = TailMark(
            journal: JournalID(high: words[0], low: words[1]), epoch: words[3], loop: Int64(bitPattern: words[4]),
            place: RecordPlace(sequence: words[5], part: part), writes: words[7], salts: words[8], frames: words[9],
            hasFailed: words[10] != 0)
        return (words[2], mark)
    }
}
