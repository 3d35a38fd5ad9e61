import MobiusDriver
import MobiusJournal
import MobiusJournalSQLite
import MobiusWire

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A memory-mapped file beside a journal that records the event that is being applied.
///
/// Its contents outlive the process, without a system call per event. It is not part of the journal's guarantees: after
/// a power failure it may contain anything, and only valid records are used.
///
/// Only the process that holds the journal opens it.
final class BreadcrumbFile: Breadcrumbs, @unchecked Sendable {
    // @unchecked: one thread at a time uses each place of the mapped memory, and the other state is immutable.

    /// The traces that the previous process recorded, for each place.
    let traces: [BreadcrumbSlot.Trace]
    private let memory: UnsafeMutableRawBufferPointer
    private let journal: JournalID
    private let epoch: UInt64
    private let build: String

    private static let slotSize = 64 << 10
    private static let size = slotSize * BreadcrumbPlace.allCases.count

    /// Opens or creates the file, and reads its contents.
    init(beside path: String, journal: JournalID, epoch: UInt64, build: String) throws(JournalError) {
        self.journal = journal
        self.epoch = epoch
        self.build = build
        memory = try SideFile.map(path + "-breadcrumb", size: Self.size)
        traces = BreadcrumbPlace.allCases.compactMap { [memory] in
            BreadcrumbSlot.read(UnsafeRawBufferPointer(Self.part($0, of: memory)))
        }
    }

    deinit {
        munmap(memory.baseAddress, memory.count)
    }

    private static func part(_ place: BreadcrumbPlace, of memory: UnsafeMutableRawBufferPointer)
        -> UnsafeMutableRawBufferPointer
    {
        UnsafeMutableRawBufferPointer(rebasing: memory[place.rawValue * slotSize..<(place.rawValue + 1) * slotSize])
    }

    /// Clears what the previous process recorded, after it was copied to the journal.
    func clear() {
        for place in BreadcrumbPlace.allCases { _ = slot(place) }
    }

    func trail(_ place: BreadcrumbPlace) -> EventTrail {
        EventTrail(slot(place), watch: Watch(self, place))
    }

    /// Watches a thread, and keeps the memory alive that it writes to.
    private final class Watch {
        private let file: BreadcrumbFile
        private let signals: TrapSignals.Watch

        init(_ file: BreadcrumbFile, _ place: BreadcrumbPlace) {
            self.file = file
            signals = TrapSignals.Watch(state: file.state(of: place))
        }
    }

    /// Makes an empty slot in a place, and clears what was recorded there.
    private func slot(_ place: BreadcrumbPlace) -> BreadcrumbSlot {
        BreadcrumbSlot(Self.part(place, of: memory), journal: journal, epoch: epoch, build: build)
    }

    /// The byte of a place that the signal handler changes.
    private func state(of place: BreadcrumbPlace) -> UnsafeMutablePointer<UInt8> {
        let part = Self.part(place, of: memory)
        // A slice of mapped memory always has an address.
        return (part.baseAddress! + BreadcrumbSlot.stateOffset).assumingMemoryBound(to: UInt8.self)
    }
}
