import FleetTestSupport
import GRDB
import MobiusJournal
import MobiusJournalSQLite
import MobiusWire
import TestTraits
import Testing

/// Which loops a start reads.
@Suite("Idle loops on disk")
struct IdleLoopTests {
    private let path: String
    private let folder: TestFolder
    private let shop = LoopID("shop") ?? .main

    init() throws {
        folder = try TestFolder()
        path = folder.file("a.journal")
    }

    private func change(_ sql: String) throws {
        let database = try DatabaseQueue(path: path)
        defer { try? database.close() }
        try database.write { try $0.execute(sql: sql) }
    }

    private func start(of loop: LoopID) -> JournalRecord {
        .event(EventRecord(loop: loop, sequence: 0, source: .start, event: nil, effects: [], ends: nil))
    }

    private func writeIdleLoop() throws {
        let journal = try open(path)
        try journal.commit([start(of: .main), start(of: shop)])
        try journal.park([IdleLoop(loop: shop, sequence: 0)], [])
        journal.close()
    }

    private func active() throws -> [LoopID] {
        let journal = try open(path)
        defer { journal.close() }
        #expect(try journal.idleTotals().loops == (try journal.activeLoops().count == 2 ? 0 : 1))
        return try journal.activeLoops()
    }

    @Test(
        "damage in their rows is found",
        arguments: [
            "UPDATE active_loops SET loop = 7", "UPDATE idle_totals SET loops = 2",
            "UPDATE active_loops SET checksum = 1",
        ])
    func findsDamage(_ sql: String) throws {
        try writeIdleLoop()
        try change(sql)
        #expect(throws: JournalError.self) { try active() }
    }

    @Test("a loop whose name was changed does not begin anew under its own")
    func changedName() throws {
        try writeIdleLoop()
        try change("UPDATE loops SET name = 'shoq' WHERE name = 'shop'")
        let journal = try open(path)
        defer { journal.close() }
        #expect(throws: JournalError.self) { try journal.commit([start(of: shop)]) }
    }

    @Test("a restored journal reads all, for each loop goes on at another number")
    func restored() throws {
        try writeIdleLoop()
        let inspector = try JournalInspector(path: path)
        defer { inspector.close() }
        #expect(try inspector.idleTotals().loops == 1)
        let copy = folder.file("b.journal")
        _ = try inspector.restore(to: copy, at: WallTime(milliseconds: 1_900_000_000_000))
        let journal = try open(copy)
        defer { journal.close() }
        #expect(try journal.activeLoops() == [.main, shop])
    }
}
