import MobiusJournal
import MobiusWire

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// What was committed last, so that a log that lost its end is told from one that never had it.
struct TailMark: Equatable {
    /// Which journal: a restored one is another.
    var journal: JournalID
    /// The epoch that committed.
    var epoch: UInt64
    /// The number of the loop whose record was committed last; 0 for none.
    var loop: Int64 = 0
    /// That record's place.
    var place = RecordPlace.start
    /// How many commits without records the epoch made.
    var writes: UInt64 = 0
    /// Which log: the random numbers in its header, which are others whenever it begins anew.
    var salts: UInt64 = 0
    /// How many frames of it are committed.
    var frames: UInt64 = 0
    /// Whether a write failed, after which the pages that are read may not be those on disk.
    var hasFailed = false
}

/// The mark, in a mapped page of a file beside the journal, `FILE-tail`.
///
/// It is written when a commit is on disk and before anybody is told, with a few stores: it outlives the process, and after a
/// power cut it may be older than the journal, never newer. Two places take turns, each with a checksum, so a mark that was
/// interrupted leaves the one before it. A clean stop removes the file.
final class JournalTail: @unchecked Sendable {
    // @unchecked: it belongs to the one thread at a time that uses the store.

    /// The newest mark.
    private(set) var mark: TailMark
    private let path: String
    private let memory: UnsafeMutableRawBufferPointer
    private var generation: UInt64

    private static let size = 4096
    private static let slotSize = 128
    private static let words = 11

    /// Opens the file of the journal at `path`, or makes it, and replaces the mark in it.
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

    /// Replaces the mark.
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

    /// Takes the file away: everything is in the journal's own.
    func remove() {
        unlink(path)
    }

    // MARK: Reading

    /// The mark beside the journal at `path`; `nil` where there is none, or none that is whole.
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
