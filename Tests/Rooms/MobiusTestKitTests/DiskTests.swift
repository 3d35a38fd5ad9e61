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
        let disk = Disk(faults: DiskFaults()) { records, writer in told.append((records.count, writer)) }
        let writer = disk.open()
        try disk.commit([start()], by: writer)
        _ = disk.open()
        var found: [JournalRecord] = []
        try disk.content.readTail(of: .main) { found.append($0) }
        #expect(found == [start()])
        #expect(told.map(\.count) == [1])
        #expect(told.map(\.writer) == [writer])
    }

    @Test func aWriterThatWasReplacedIsRefused() {
        let disk = Disk(faults: DiskFaults()) { _, _ in }
        let old = disk.open()
        let new = disk.open()
        #expect(new > old)
        #expect(throws: JournalError.self) { try disk.commit([start()], by: old) }
        #expect(throws: Never.self) { try disk.commit([start()], by: new) }
    }
}
