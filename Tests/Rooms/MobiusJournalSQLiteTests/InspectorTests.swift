import FleetTestSupport
import Foundation
import JournalStoreCompatibility
import MobiusJournal
import MobiusJournalSQLite
import MobiusWire
import Synchronization
import TestTraits
import Testing

@Suite("The inspector", .ownThread)
struct InspectorTests {
    private let folder: TestFolder
    private let path: String

    init() throws {
        folder = try TestFolder()
        path = folder.file("a ?#%20.journal")
    }

    private func make(_ count: UInt64 = 300) throws -> SQLiteJournal {
        let journal = try open(path)
        try journal.commit([History.start] + History.batch(after: 0, count: count))
        return journal
    }

    @Test("tells what a journal is, open or closed, and makes no file")
    func info() throws {
        let journal = try make()
        try journal.save(History.snapshot(at: 300))
        let letter = DeadLetter(
            id: EffectID(loop: .main, sequence: 1, index: 0), effect: Payload(kind: PayloadKind(type: "T"), bytes: []),
            reason: "broken", failures: 3)
        try journal.commit([.note(letter.id, .deadLettered(letter))])
        let journalKeys = try journal.outsideKeys(of: .main, limit: .max)
        #expect(journalKeys.count > 90)
        for isOpen in [true, false] {
            if !isOpen { journal.close() }
            let before = try names(in: folder)
            let inspector = try JournalInspector(path: path)
            let info = try inspector.info()
            #expect(info.identity == journal.identity && inspector.identity == journal.identity)
            #expect(info.application == "torture" && info.createdBy == "test" && info.format == 5)
            #expect(info.bytes > 100_000)
            #expect(info.holder == (isOpen ? Int(ProcessInfo.processInfo.processIdentifier) : nil))
            #expect(info.epochs.map(\.epoch) == [1] && info.epochs.map(\.build) == ["test"])
            let loop = try #require(info.loops.first)
            #expect(info.loops.count == 1 && loop.loop == .main && loop.firstSequence == 0 && loop.lastSequence == 300)
            #expect(loop.records == 302 && !loop.isCompacted && loop.snapshots == [300] && loop.deadLetters == 1)
            #expect(try inspector.deadLetters(of: nil, after: nil, limit: 9) == [letter])
            #expect(try inspector.snapshots(of: .main) == [History.snapshot(at: 300)])
            #expect(try inspector.pending(of: .main) == History.pending(after: 300))
            #expect(try inspector.loops() == [.main])
            #expect(try inspector.newestSnapshot(of: .main) == History.snapshot(at: 300))
            #expect(try inspector.olderSnapshot(of: .main) == nil)
            #expect(try inspector.builds(of: .main, in: 0...300) == ["test"])
            #expect(try inspector.outsideKeys(of: .main, limit: .max) == journalKeys)
            #expect(try inspector.hasApplied(key: "event 1", of: .main))
            #expect(try inspector.deadLetter(letter.id) == letter && inspector.deadLetterCount(of: .main) == 1)
            #expect(try inspector.crashes() == [])
            inspector.close()
            #expect(try names(in: folder) == before)
        }
    }

    @Test("shows records page by page, each event with its notes")
    func pages() throws {
        let journal = try make(10)
        let effect = EffectID(loop: .main, sequence: 1, index: 0)
        try journal.commit((0..<3).map { .note(effect, .retried(failures: $0)) })
        try journal.commit(History.batch(after: 10, count: 5))
        journal.close()
        let second = try SQLiteJournal(path: path, application: "torture", build: "second")
        try second.commit(History.batch(after: 15, count: 5))
        let inspector = try JournalInspector(path: path)
        defer {
            inspector.close()
            second.close()
        }
        var read: [JournalEntry] = []
        while read.last?.sequence != 20 {
            let page = try inspector.records(of: .main, from: read.last.map { $0.sequence + 1 } ?? 0, limit: 4)
            #expect((1...7).contains(page.count))
            read += page
        }
        #expect(read.count == 24)
        #expect(read.map(\.part).reduce(0, +) == 6)
        #expect(read.map(\.build) == Array(repeating: "test", count: 19) + Array(repeating: "second", count: 5))
        #expect(read.last?.epoch == 2)
        #expect(try inspector.records(of: .main, from: 21, limit: 4) == [])
        #expect(try inspector.records(of: try #require(LoopID("other")), limit: 4) == [])
    }

    @Test("sees what a coordinator commits meanwhile, or not, as it is told")
    func live() throws {
        let journal = try make(10)
        let (live, frozen) = (try JournalInspector(path: path), try JournalInspector(path: path, pinsSnapshot: true))
        for last in stride(from: UInt64(10), to: 5_000, by: 100) {
            try journal.commit(History.batch(after: last, count: 100))
            #expect(try live.info().loops.first?.lastSequence == last + 100)
            #expect(try frozen.info().loops.first?.lastSequence == 10)
        }
        #expect(try RecoveredLoop.read(.main, from: frozen).loop.lastSequence == 10)
        frozen.close()
        live.close()
        journal.close()
        #expect(try names(in: folder) == ["a ?#%20.journal"])
    }

    @Test("may look on while a coordinator closes the journal: the log stays then, and nothing is lost")
    func closedMeanwhile() throws {
        let journal = try make(10)
        let inspector = try JournalInspector(path: path, pinsSnapshot: true)
        try journal.commit(History.batch(after: 10, count: 10))
        journal.close()
        #expect(try inspector.info().loops.first?.lastSequence == 10)
        inspector.close()
        #expect(try JournalInspector(path: path).info().loops.first?.lastSequence == 20)
        #expect(try last(path) == 20)
        #expect(try names(in: folder) == ["a ?#%20.journal"])
    }

    @Test("does not stop a coordinator from starting, and says when one began in a journal that was closed")
    func started() throws {
        try make(10).close()
        let inspector = try JournalInspector(path: path)
        #expect(try inspector.info().holder == nil)
        let journal = try open(path)
        try journal.commit(History.batch(after: 10, count: 2_000))
        journal.close()
        expect(.held, "begun to write", "run the command again") { try inspector.info() }
        inspector.close()
        #expect(try JournalInspector(path: path).info().loops.first?.lastSequence == 2_010)
    }

    @Test("refuses what is no journal and says why")
    func refusals() throws {
        expect(.notReadable, "There is no journal") { try JournalInspector(path: folder.file("missing")) }
        try Data().write(to: URL(fileURLWithPath: folder.file("empty")))
        expect(.notReadable, "is empty") { try JournalInspector(path: folder.file("empty")) }
        try Data(String(repeating: "Dear diary, ", count: 1_000).utf8).write(
            to: URL(fileURLWithPath: folder.file("text")))
        expect(.damaged, "is not a journal") { try JournalInspector(path: folder.file("text")) }
        expect(.notReadable, "not a regular file") { try JournalInspector(path: folder.path) }
        try make().close()
        try change(path, "PRAGMA user_version = 6")
        expect(.foreign, "newer program") { try JournalInspector(path: path) }
        try change(path, "PRAGMA application_id = 3")
        expect(.foreign, "is not a journal") { try JournalInspector(path: path) }
        #expect(try names(in: folder) == ["a ?#%20.journal", "empty", "text"])
    }

    @Test("a visitor's error ends the reading and comes out")
    func visitorError() throws {
        struct Enough: Error {}
        try make().close()
        let inspector = try JournalInspector(path: path)
        defer { inspector.close() }
        #expect(throws: Enough.self) { try inspector.readTail(of: .main) { _ in throw Enough() } }
        #expect(try inspector.loops() == [.main])
    }

    @Test("a visitor that calls its inspector is a programmer error")
    func nested() async throws {
        try make().close()
        await #expect(processExitsWith: .failure) { [path = path as String] in
            let inspector = try JournalInspector(path: path)
            try inspector.readTail(of: .main) { _ in _ = try? inspector.loops() }
        }
    }

    @Test("calls of several threads wait for each other")
    func threads() throws {
        try make().close()
        let inspector = try JournalInspector(path: path)
        defer { inspector.close() }
        let expected = try inspector.records(of: .main, limit: 1_000)
        let others = Atomic(0)
        DispatchQueue.concurrentPerform(iterations: 64) { _ in
            guard (try? inspector.records(of: .main, limit: 1_000)) != expected else { return }
            others.add(1, ordering: .relaxed)
        }
        #expect(others.load(ordering: .relaxed) == 0)
    }
}
