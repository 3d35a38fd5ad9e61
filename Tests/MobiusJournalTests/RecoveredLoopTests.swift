import JournalStoreCompatibility
import MobiusJournal
import MobiusWire
import Testing

@Suite("A loop that is read back")
struct RecoveredLoopTests {
    private func effect(_ sequence: UInt64, _ index: UInt32) -> EffectID {
        EffectID(loop: .main, sequence: sequence, index: index)
    }

    private func folded(_ records: [JournalRecord], from snapshot: Snapshot? = nil) throws -> RecoveredLoop {
        var loop = RecoveredLoop(loop: .main, snapshot: snapshot)
        for record in records { try loop.apply(record) }
        return loop
    }

    @Test("begins before its start")
    func empty() throws {
        #expect(try folded([]).lastSequence == nil)
        #expect(try folded([]).pending == [])
    }

    @Test("has the effects that did not end, in the order they were asked for")
    func pending() throws {
        let loop = try folded([History.start] + History.batch(after: 0, count: 8))
        #expect(loop.lastSequence == 8)
        // 6 ended 1/0, 7 ended 2/0.
        let left = [(2, 1), (4, 0), (5, 0), (5, 1), (7, 0), (8, 0), (8, 1)]
        #expect(loop.pending.map(\.id) == left.map { effect(UInt64($0.0), UInt32($0.1)) })
        #expect(loop.pending == History.pending(after: 8))
    }

    @Test("ends effects without an event, once or twice")
    func ended() throws {
        let records = [History.start] + History.batch(after: 0, count: 2)
        let loop = try folded(
            records + [.note(effect(1, 0), .ended), .note(effect(1, 0), .ended), .note(effect(2, 1), .ended)])
        #expect(loop.pending.map(\.id) == [effect(2, 0)])
        #expect(loop.lastSequence == 2)
    }

    @Test("is the same from a snapshot as from the start", arguments: UInt64(0)...12)
    func fromSnapshot(at last: UInt64) throws {
        let all = [History.start] + History.batch(after: 0, count: 12)
        let loop = try folded(Array(all[(Int(last) + 1)...]), from: History.snapshot(at: last))
        #expect(loop.pending == History.pending(after: 12))
        #expect(loop.lastSequence == 12)
    }

    @Test("knows the newest report of an effect whose handler has not ended")
    func reported() throws {
        let payload = Payload(kind: PayloadKind(type: "T"), bytes: [1])
        let attempt = AttemptID(effect: effect(0, 0), attempt: Attempt(epoch: 3, number: 2))
        func report(_ number: UInt32, ends: Bool = false) -> JournalRecord {
            .event(
                EventRecord(
                    loop: .main, sequence: UInt64(number), source: .report(attempt, number: number), event: payload,
                    effects: [], ends: ends ? attempt.effect : nil))
        }
        let start = JournalRecord.event(
            EventRecord(loop: .main, sequence: 0, source: .start, event: nil, effects: [payload], ends: nil))
        #expect(try folded([start]).pending.map(\.reported) == [nil])
        let newest = ReportID(attempt: attempt, number: 2)
        #expect(try folded([start, report(1), report(2)]).pending.map(\.reported) == [newest])
        let snapshot = Snapshot(
            loop: .main, sequence: 2, model: payload, hash: 0,
            pending: [PendingEffect(id: attempt.effect, effect: payload, reported: newest)])
        #expect(try folded([], from: snapshot).pending == snapshot.pending)
        #expect(try folded([start, report(1), report(2), report(3, ends: true)]).pending == [])
    }

    @Test("is damaged when an event is missing, doubled or of another loop")
    func gaps() throws {
        let second = History.batch(after: 1, count: 1)
        for records in [second, [History.start] + second, [History.start, History.start]] {
            let error = #expect(throws: JournalError.self) { _ = try folded(records) }
            #expect(error?.code == .damaged)
        }
        let foreign = EffectID(loop: try #require(LoopID("other")), sequence: 0, index: 0)
        let error = #expect(throws: JournalError.self) { _ = try folded([History.start, .note(foreign, .ended)]) }
        #expect(error?.code == .damaged)
    }
}
