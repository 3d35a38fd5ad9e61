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

    // MARK: Timers and notes

    private let work = Payload(kind: PayloadKind(type: "T"), bytes: [1])

    private func time(_ milliseconds: Int64) -> WallTime { WallTime(milliseconds: milliseconds) }

    private func record(
        _ sequence: UInt64, _ source: SourceKey, effects: Int = 0, dues: [(UInt32, Int64)] = [], ends: EffectID? = nil
    ) -> JournalRecord {
        .event(
            EventRecord(
                loop: .main, sequence: sequence, source: source, event: sequence == 0 ? nil : work,
                effects: Array(repeating: work, count: effects), ends: ends, time: time(Int64(sequence) * 100),
                dues: dues.map { TimerDue(index: $0.0, due: time($0.1)) }))
    }

    @Test("knows when its effects were asked for and when timers fall due and fired")
    func timers() throws {
        let begun = [
            record(0, .start, effects: 1), record(1, .outside("a"), effects: 4, dues: [(0, 50), (2, 60), (3, .max)]),
        ]
        let pending = try folded(begun).pending
        #expect(pending.map(\.asked) == [time(0)] + Array(repeating: time(100), count: 4))
        #expect(pending.map(\.due) == [nil, time(50), nil, time(60), time(.max)])
        #expect(pending.allSatisfy { $0.fired == nil })
        let fired = [
            record(2, .timer(effect(1, 0), due: time(50))),
            record(3, .timer(effect(1, 2), due: time(60)), ends: effect(1, 2)),
            record(4, .timer(effect(1, 0), due: time(55))),
        ]
        let left = try folded(begun + fired).pending
        #expect(left.map(\.id) == [effect(0, 0), effect(1, 0), effect(1, 1), effect(1, 3)])
        #expect(left[1].fired == time(55) && left[1].due == time(50))
        // A late firing of a timer that was cancelled changes nothing.
        let late = record(5, .timer(effect(1, 2), due: time(60)))
        #expect(try folded(begun + fired + [late]).pending == left)
    }

    @Test("knows what a loop was told that asked another one, until that is an event")
    func answers() throws {
        for reply in [LoopReply(nil), LoopReply(.refusal("no")), LoopReply(.answer(work))] {
            let told = [record(0, .start, effects: 2), .note(effect(0, 1), .answered(reply))]
            #expect(try folded(told).pending.map(\.answered) == [nil, reply])
            // Also from a snapshot.
            let snapshot = Snapshot(
                loop: .main, sequence: 0, model: work, hash: 0, pending: try folded(told).pending)
            let answered = record(1, .answer(effect(0, 1)), ends: effect(0, 1))
            #expect(try folded([answered], from: snapshot).pending.map(\.id) == [effect(0, 0)])
        }
    }

    @Test("takes the firing of an effect that was no timer when it was asked for, and was requeued as one")
    func laterTimers() throws {
        let letter = DeadLetter(id: effect(0, 1), effect: work, reason: "broken", failures: 3)
        let records = [
            record(0, .start, effects: 3), record(1, .timer(effect(0, 0), due: time(1))),
            .note(effect(0, 1), .deadLettered(letter)), record(2, .failure(effect(0, 1), round: 0), ends: effect(0, 1)),
            .note(effect(0, 1), .requeued(work, round: 1, at: time(7))),
            record(3, .timer(effect(0, 1), due: time(9))),
            record(4, .timer(effect(0, 2), due: time(11)), ends: effect(0, 2)),
        ]
        let pending = try folded(records).pending
        #expect(pending.map(\.id) == [effect(0, 0), effect(0, 1)])
        #expect(pending.map(\.fired) == [time(1), time(9)])
        #expect(pending.map(\.due) == [nil, nil])
    }

    @Test("knows how often attempts failed, and the only one that may be")
    func notes() throws {
        let records = [
            record(0, .start, effects: 3), .note(effect(0, 0), .retried(failures: 1)),
            .note(effect(0, 0), .retried(failures: 2)),
            .note(effect(0, 1), .started(Attempt(epoch: 3, number: 4))), .note(effect(0, 7), .retried(failures: 1)),
        ]
        let pending = try folded(records).pending
        #expect(pending.map(\.failures) == [2, 0, 0])
        #expect(pending.map(\.started) == [nil, Attempt(epoch: 3, number: 4), nil])
        #expect(pending.map(\.id) == (0..<3).map { effect(0, $0) })
    }

    @Test("forgets what died, and takes what is requeued as new, in its old place")
    func requeued() throws {
        let letter = DeadLetter(id: effect(0, 0), effect: work, reason: "broken", failures: 3)
        let died = [
            record(0, .start, effects: 2), .note(effect(0, 0), .retried(failures: 2)),
            .note(effect(0, 0), .deadLettered(letter)),
            record(1, .failure(effect(0, 0), round: 0), ends: effect(0, 0)),
        ]
        #expect(try folded(died).pending.map(\.id) == [effect(0, 1)])
        #expect(try folded(died + [.note(effect(0, 0), .dropped)]).pending.map(\.id) == [effect(0, 1)])
        let requeued = try folded(died + [.note(effect(0, 0), .requeued(work, round: 1, at: time(7)))]).pending
        #expect(
            requeued == [
                PendingEffect(id: effect(0, 0), effect: work, asked: time(7), round: 1),
                PendingEffect(id: effect(0, 1), effect: work, asked: time(0)),
            ])
    }

    @Test("goes on from a snapshot with all that was known of its effects")
    func wholeSnapshot() throws {
        let pending = PendingEffect(
            id: effect(0, 0), effect: work, asked: time(1), due: time(2), fired: time(3), failures: 4,
            started: Attempt(epoch: 5, number: 6), round: 7)
        let snapshot = Snapshot(loop: .main, sequence: 4, model: work, hash: 0, pending: [pending])
        #expect(try folded([], from: snapshot).pending == [pending])
        let fired = try folded([record(5, .timer(effect(0, 0), due: time(9)))], from: snapshot).pending
        #expect(fired.map(\.fired) == [time(9)] && fired.map(\.failures) == [4])
    }

    @Test("is damaged by what cannot be")
    func malformed() throws {
        let start = record(0, .start, effects: 1)
        let letter = DeadLetter(id: effect(0, 1), effect: work, reason: "broken", failures: 3)
        let other = EffectID(loop: try #require(LoopID("other")), sequence: 0, index: 0)
        let attempt = Attempt(epoch: 1, number: 1)
        let impossible: [[JournalRecord]] = [
            [record(0, .outside("a"))],
            [start, record(1, .start)],
            [start, record(1, .failure(effect(1, 0), round: 0))],
            [start, record(1, .failure(effect(0, 0), round: 0), ends: effect(0, 1))],
            [start, record(1, .outside("a"), ends: effect(0, 0))],
            [start, record(1, .report(AttemptID(effect: other, attempt: attempt), number: 1))],
            [start, record(1, .outside("a"), effects: 1, dues: [(1, 5)])],
            [start, record(1, .outside("a"), effects: 2, dues: [(0, 5), (0, 6)])],
            [start, record(1, .outside("a"), effects: 2, dues: [(1, 5), (0, 6)])],
            [.note(effect(0, 0), .ended)],
            [start, .note(effect(1, 0), .ended)],
            [start, .note(effect(0, 0), .deadLettered(letter))],
            [start, .note(effect(0, 0), .requeued(work, round: 1, at: time(1)))],
            [start, .note(effect(0, 0), .ended), .note(effect(0, 0), .requeued(work, round: 0, at: time(1)))],
        ]
        for (index, records) in impossible.enumerated() {
            let error = #expect(throws: JournalError.self, "number \(index)") { _ = try folded(records) }
            #expect(error?.code == .damaged, "number \(index)")
        }
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
