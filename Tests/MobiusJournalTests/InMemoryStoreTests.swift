import JournalStoreCompatibility
import MobiusJournal
import MobiusWire
import Testing

@Suite("The store in memory")
struct InMemoryStoreTests {
    @Test("keeps every store's promises", arguments: JournalStoreCompatibility.checks)
    func promise(_ check: JournalStoreCompatibility.Check) throws {
        var newest: InMemoryStore?
        try check.run { build in
            let next = newest?.reopened(build: build) ?? InMemoryStore(build: build)
            newest = next
            return next
        }
    }

    @Test("keeps nothing when it need not remember, not even a key")
    func forgetful() throws {
        let store = InMemoryStore(remembersRecords: false)
        try store.commit([History.start])
        for last in UInt64(0)..<5 { try store.commit(History.batch(after: last, count: 1)) }
        try store.save(History.snapshot(at: 5))
        #expect(store.epoch == 1)
        #expect(try store.newestSnapshot(of: .main) == nil)
        #expect(try store.outsideKeys(of: .main, limit: 10) == [])
        let (_, loop) = try RecoveredLoop.read(.main, from: store)
        #expect(loop.lastSequence == nil)
    }

    @Test("a copy does not see what its original does later")
    func copies() throws {
        let store = InMemoryStore()
        try store.commit([History.start])
        let copy = store.reopened()
        try store.commit(History.batch(after: 0, count: 3))
        let (_, loop) = try RecoveredLoop.read(.main, from: copy)
        #expect(loop.lastSequence == 0)
        #expect(copy.epoch == 2)
    }

    @Test("also refuses a report that was applied, so that tests find an engine that does not look it up")
    func doubledReport() throws {
        let store = InMemoryStore()
        try store.commit([History.start] + History.batch(after: 0, count: 9))
        guard case .event(var doubled) = History.batch(after: 8, count: 1)[0] else { return }
        doubled.sequence = 10
        let error = #expect(throws: JournalError.self) { try store.commit([.event(doubled)]) }
        #expect(error?.code == .conflict)
    }

    @Test("a gap in a loop's events is a programmer error")
    func gap() async {
        await #expect(processExitsWith: .failure) {
            try InMemoryStore().commit([History.start] + History.batch(after: 1, count: 1))
        }
    }

    @Test("so is a snapshot of another event than the last")
    func earlySnapshot() async {
        await #expect(processExitsWith: .failure) {
            let store = InMemoryStore()
            try store.commit([History.start])
            try store.save(History.snapshot(at: 1))
        }
    }

    @Test("so is a call after close")
    func closed() async {
        await #expect(processExitsWith: .failure) {
            let store = InMemoryStore()
            store.close()
            try store.commit([History.start])
        }
    }
}
