import FleetTestSupport
import JournalStoreCompatibility
import MobiusJournal
import MobiusJournalSQLite
import MobiusWire
import TestTraits
import Testing

@Suite("Tables that came later", .ownThread)
struct LaterTableTests {
    private let pause = PoolPause(by: "ada", why: "down", since: WallTime(milliseconds: 5))

    @Test("a journal of an earlier build is sound without them, is copied, and gets them when it is opened")
    func earlier() throws {
        let folder = try TestFolder()
        let (path, copy) = (folder.file("a.journal"), folder.file("copy"))
        let made = try open(path)
        try made.commit([History.start])
        made.close()
        try change(path, "DROP TABLE paused_pools; DROP TABLE facts; DROP TABLE fact_progress")
        let inspector = try JournalInspector(path: path, pinsSnapshot: true)
        #expect(try inspector.verify().isSound)
        #expect(try JournalCopy.run(from: inspector, to: CopiedFile(copy, owner: inspector.owner())).isSound)
        inspector.close()
        for path in [path, copy] {
            let journal = try open(path)
            #expect(try journal.pausedPools() == [:])
            try journal.setPause(pause, of: "p")
            #expect(try journal.pausedPools() == ["p": pause])
            #expect(try journal.factProgress() == .upTo(nil))
            let fact = StoredFact(name: "stage", key: [1])
            let facts = [RebuiltFacts(loop: .main, sequence: 0, facts: [fact])]
            try journal.rebuild(facts, step: FactStep(after: nil, to: .complete))
            #expect(try journal.factCount("stage", in: FactRange(only: [1]), atMost: 9) == 1)
            try journal.commit(History.batch(after: 0, count: 1))
            journal.close()
        }
    }

    @Test("a pause that was changed in the file is damage")
    func changed() throws {
        let folder = try TestFolder()
        let path = folder.file("a.journal")
        let journal = try open(path)
        try journal.setPause(pause, of: "p")
        journal.close()
        try change(path, "UPDATE paused_pools SET why = 'up'")
        let inspector = try JournalInspector(path: path)
        #expect(try inspector.verify().findings.map(\.kind) == [.table])
        inspector.close()
        let opened = try open(path)
        #expect(throws: JournalError.self) { try opened.pausedPools() }
        opened.close()
    }
}
