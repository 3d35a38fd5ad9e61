import JournalStoreCompatibility
import MobiusJournal
import MobiusWire
import TestTraits
import Testing

@Suite("The store in memory", .ownThread)
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

    @Test("keeps the history it should", arguments: JournalStoreCompatibility.windowChecks)
    func history(_ check: JournalStoreCompatibility.WindowCheck) throws {
        var newest: InMemoryStore?
        try check.run { history in
            let next =
                newest?.reopened(build: nil, history: history) ?? InMemoryStore(history: history)
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

    @Test("keeps the newest dead letters, and the newest keys at least")
    func limits() throws {
        let store = InMemoryStore(limits: JournalLimits(outsideKeys: 100, deadLetters: 3))
        let kind = PayloadKind(type: "T")
        let work = Payload(kind: kind, bytes: [])
        func event(_ sequence: UInt64, _ source: SourceKey) -> JournalRecord {
            .event(
                EventRecord(
                    loop: .main, sequence: sequence, source: source, event: sequence == 0 ? nil : work, effects: [work],
                    ends: nil))
        }
        try store.commit([event(0, .start)])
        for sequence in UInt64(1)...1_000 {
            try store.commit([event(sequence, .outside("\(sequence)"))])
        }
        let keys = try store.outsideKeys(of: .main, limit: .max)
        #expect(keys.count >= 100 && keys.count < 130)
        #expect(keys == (1_001 - keys.count...1_000).map { "\($0)" })
        #expect(try store.hasApplied(key: "901", of: .main))
        #expect(try !store.hasApplied(key: "1", of: .main))
        for sequence in [UInt64(5), 1, 9, 7, 3] {
            let id = EffectID(loop: .main, sequence: sequence, index: 0)
            try store.commit([.note(id, .deadLettered(DeadLetter(id: id, effect: work, reason: "", failures: 1)))])
        }
        #expect(try store.deadLetters(of: .main, after: nil, limit: 9).map(\.id.sequence) == [3, 7, 9])
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

    @Test("so is a note before its effect was asked for")
    func earlyNote() async {
        await #expect(processExitsWith: .failure) {
            let store = InMemoryStore()
            try store.commit([History.start, .note(EffectID(loop: .main, sequence: 1, index: 0), .ended)])
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
