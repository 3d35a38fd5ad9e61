import MobiusJournal
import MobiusTestKit
import MobiusWire
import Testing

/// The disk outlives processes, and has one writer.
@Suite struct DiskTests {
    private func start(_ loop: LoopID = .main) -> JournalRecord {
        .event(EventRecord(loop: loop, sequence: 0, source: .start, event: nil, effects: [], ends: nil))
    }

    @Test func whatIsCommittedIsThereAtTheNextOpening() throws {
        var told: [(count: Int, writer: UInt64)] = []
        let disk = Disk(MemoryMedium(), faults: DiskFaults()) { records, writer in told.append((records.count, writer))
        }
        let writer = try disk.open()
        try disk.commit([start()], by: writer)
        _ = try disk.open()
        var found: [JournalRecord] = []
        try disk.content.readTail(of: .main) { found.append($0) }
        #expect(found == [start()])
        #expect(told.map(\.count) == [1])
        #expect(told.map(\.writer) == [writer])
    }

    @Test func aWriterThatWasReplacedIsRefused() throws {
        let disk = Disk(MemoryMedium(), faults: DiskFaults()) { _, _ in }
        let old = try disk.open()
        let new = try disk.open()
        #expect(new > old)
        #expect(throws: JournalError.self) { try disk.commit([start()], by: old) }
        #expect(throws: Never.self) { try disk.commit([start()], by: new) }
    }

    @Test(arguments: [true, false])
    func theNextOpeningShowsWhetherACommitThatThrewIsOnDisk(arrives: Bool) throws {
        var told = 0
        let disk = Disk(FailingMedium(arrives: arrives), faults: DiskFaults()) { records, _ in told += records.count }
        let writer = try disk.open()
        #expect(throws: JournalError.self) { try disk.commit([start()], by: writer) }
        #expect(told == 0)
        _ = try disk.open()
        #expect(told == (arrives ? 1 : 0))
        _ = try disk.open()
        #expect(told == (arrives ? 1 : 0))
    }
}

/// A medium whose first commit throws, and is there afterwards or not.
private final class FailingMedium: JournalMedium {
    private let arrives: Bool
    private var openings = 0

    init(arrives: Bool) { self.arrives = arrives }

    func open() throws(JournalError) -> any JournalStore {
        openings += 1
        let store = InMemoryStore()
        // The first store has the event already, so it refuses it.
        if openings == 1 || arrives {
            try store.commit([
                .event(EventRecord(loop: .main, sequence: 0, source: .start, event: nil, effects: [], ends: nil))
            ])
        }
        return store
    }

    func failWrites() -> Bool { true }
}
