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

/// The file beside a journal, mapped into memory, that says which event is being applied right now.
///
/// What is written to it outlives the process without a system call per event. It is no part of what the journal
/// promises: after a power cut it may say anything, and is believed only where it makes sense.
///
/// The holder of the journal alone opens it.
final class BreadcrumbFile: Breadcrumbs, @unchecked Sendable {
    // @unchecked: each place of the mapped memory belongs to one thread at a time, and the rest never changes.

    /// What the process before left behind, for each place.
    let traces: [BreadcrumbSlot.Trace]
    private let memory: UnsafeMutableRawBufferPointer
    private let journal: JournalID
    private let epoch: UInt64
    private let build: String

    private static let slotSize = 64 << 10
    private static let size = slotSize * BreadcrumbPlace.allCases.count

    /// Opens the file, or makes it, and reads what is in it.
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

    /// Forgets what the process before left behind, which the journal knows by now.
    func clear() {
        for place in BreadcrumbPlace.allCases { _ = slot(place) }
    }

    func trail(_ place: BreadcrumbPlace) -> EventTrail {
        EventTrail(slot(place), watch: Watch(self, place))
    }

    /// Watches a thread, and keeps the memory that it writes to.
    private final class Watch: TrapWatch {
        private let file: BreadcrumbFile
        private let signals: TrapSignals.Watch

        init(_ file: BreadcrumbFile, _ place: BreadcrumbPlace) {
            self.file = file
            signals = TrapSignals.Watch(state: file.state(of: place))
        }

        func moveHere() { signals.moveHere() }
    }

    /// The slot of a place, which forgets what was in it.
    private func slot(_ place: BreadcrumbPlace) -> BreadcrumbSlot {
        BreadcrumbSlot(Self.part(place, of: memory), journal: journal, epoch: epoch, build: build)
    }

    /// The byte of a place that a trap changes.
    private func state(of place: BreadcrumbPlace) -> UnsafeMutablePointer<UInt8> {
        let part = Self.part(place, of: memory)
        // A slice of mapped memory, which has an address.
        return (part.baseAddress! + BreadcrumbSlot.stateOffset).assumingMemoryBound(to: UInt8.self)
    }
}
