public import MobiusWire

/// A loop's state from its journal, folded record by record: its last event and its pending effects.
///
/// It is a pure value: the caller replays the model. Memory grows with the pending effects, not with the records.
public struct RecoveredLoop: Sendable {
    /// The loop.
    public let loop: LoopID
    /// The last event that was applied; `nil` when the loop has not started.
    public private(set) var lastSequence: UInt64?
    /// The time at which it was applied; `nil` when only the snapshot is known.
    public private(set) var lastEvent: WallTime?
    /// Whether it has ended; `nil` when only the snapshot is known.
    public private(set) var hasEnded: Bool?
    // By sequence and index only: hashing a whole EffectID would hash the loop's name for every effect.
    private var effects: [Key: PendingEffect] = [:]

    private struct Key: Hashable, Comparable {
        let sequence: UInt64
        let index: UInt32

        init(_ effect: EffectID) {
            sequence = effect.sequence
            index = effect.index
        }

        // These numbers are the journal's own, and not a peer's: this takes a tenth of a hasher's time.
        func _rawHashValue(seed: Int) -> Int {
            let product = (sequence ^ UInt64(index) << 40 ^ UInt64(truncatingIfNeeded: seed))
                .multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
            return Int(truncatingIfNeeded: product.high ^ product.low)
        }

        static func < (lhs: Key, rhs: Key) -> Bool { (lhs.sequence, lhs.index) < (rhs.sequence, rhs.index) }
    }

    /// Begins at `snapshot`, or before the start of `loop` when there is none.
    public init(loop: LoopID, snapshot: Snapshot?) {
        self.loop = loop
        guard let snapshot else { return }
        precondition(snapshot.loop == loop, "The snapshot is of loop \(snapshot.loop), not of \(loop).")
        lastSequence = snapshot.sequence
        for pending in snapshot.pending {
            effects[Key(pending.id)] = pending
        }
    }

    /// The effects that were asked for and have not ended, in the order they were asked for; a retried one keeps its
    /// place.
    public var pending: [PendingEffect] {
        effects.sorted { $0.key < $1.key }.map(\.value)
    }

    /// Takes the next record, in commit order.
    ///
    /// A note on an effect that is not pending changes nothing.
    ///
    /// - Throws: ``JournalError`` with code `damaged` when the record is of another loop, an event is missing before
    ///   it, or it is impossible: it reports on an effect that was never asked for, an effect is retried that has not
    ///   ended, and similar.
    public mutating func apply(_ record: JournalRecord) throws(JournalError) {
        guard record.loop == loop else {
            throw JournalError(.damaged, "A record of loop \(record.loop) stands among those of loop \(loop).")
        }
        switch record {
        case .event(let event): try apply(event)
        case .note(let effect, let note): try apply(note, on: effect)
        }
    }

    private mutating func apply(_ event: EventRecord) throws(JournalError) {
        let expected = lastSequence.map { $0 + 1 } ?? 0
        guard event.sequence == expected || isRestored(at: event.sequence) || lastSequence == nil && event.isStart
        else {
            throw JournalError(
                .damaged, "Event \(expected) of loop \(loop) is missing: the next one is \(event.sequence).")
        }
        if let contradiction = event.contradiction {
            throw JournalError(.damaged, "Event \(event.sequence) of loop \(loop) cannot be: \(contradiction).")
        }
        try begin(event)
        lastSequence = event.sequence
        lastEvent = event.time
        advance(event)
        var dues = event.dues[...]
        // Without an array for the usual single effect.
        switch event.effectList {
        case .none: break
        case .one(let effect): ask(effect, 0, of: event, &dues)
        case .many(let effects):
            for (index, effect) in effects.enumerated() { ask(effect, UInt32(index), of: event, &dues) }
        }
    }

    /// Takes an effect of an event; the next of `dues` is removed if it is that effect's.
    private mutating func ask(
        _ effect: Payload, _ index: UInt32, of event: EventRecord, _ dues: inout ArraySlice<TimerDue>
    ) {
        let id = EffectID(loop: loop, sequence: event.sequence, index: index)
        var pending = PendingEffect(id: id, effect: effect, asked: event.time)
        if let next = dues.first, next.index == index {
            pending.due = next.due
            dues.removeFirst()
        }
        effects[Key(id)] = pending
    }

    /// Checks that a loop starts only at its beginning or after its end, and applies nothing after its end.
    private mutating func begin(_ event: EventRecord) throws(JournalError) {
        if event.isStart {
            guard event.sequence == 0 || hasEnded != false else {
                throw JournalError(.damaged, "Loop \(loop) starts at event \(event.sequence), but has not ended.")
            }
            hasEnded = false
        } else if hasEnded == true, event.event != nil {
            throw JournalError(.damaged, "Event \(event.sequence) of loop \(loop) was applied after the loop's end.")
        }
    }

    private func isRestored(at sequence: UInt64) -> Bool {
        guard let lastSequence else { return false }
        return RecordPlace(sequence: sequence, part: 0).follows(RecordPlace(sequence: lastSequence, part: 0))
    }

    /// Applies an event's report to its effect.
    private mutating func advance(_ event: EventRecord) {
        guard let cause = event.cause else { return }
        let key = Key(cause)
        // It may not have been a timer when it was asked for, because routes change between builds.
        if case .timer(_, let due) = event.source { effects[key]?.fired = due }
        if event.ends != nil {
            effects[key] = nil
        } else if case .report(let attempt, let number) = event.source {
            effects[key]?.reported = ReportID(attempt: attempt, number: number)
        }
    }

    private mutating func apply(_ note: EffectNote, on effect: EffectID) throws(JournalError) {
        guard let lastSequence, effect.sequence <= lastSequence else {
            throw JournalError(.damaged, "A note on effect \(effect) stands before the event that asked for it.")
        }
        if let contradiction = note.contradiction(on: effect) {
            throw JournalError(.damaged, "A note on effect \(effect) cannot be: \(contradiction).")
        }
        let key = Key(effect)
        switch note {
        case .ended: effects[key] = nil
        case .started(let attempt): effects[key]?.started = attempt
        case .retried(let failures): effects[key]?.failures = failures
        case .answered(let reply): effects[key]?.answered = reply
        case .requeued(let payload, let round, let time):
            guard effects[key] == nil else {
                throw JournalError(.damaged, "Effect \(effect) is requeued, but it has not ended.")
            }
            effects[key] = PendingEffect(id: effect, effect: payload, asked: time, round: round)
        case .loopEnded:
            effects[key] = nil
            hasEnded = true
        case .deadLettered, .dropped: break  // the store's table of dead letters has them
        case .remarked: break
        }
    }
}

extension RecoveredLoop {
    /// Reads a loop back from a store: the newest snapshot, then each later event to `replay`, in order.
    ///
    /// - Returns: the snapshot that the replay began at, if any, and the loop after the last event.
    /// - Throws: ``JournalError`` with code `damaged`; what `replay` throws.
    public static func read(
        _ loop: LoopID, from store: any JournalReading, replay: (EventRecord) throws -> Void = { _ in }
    ) throws -> (snapshot: Snapshot?, loop: RecoveredLoop) {
        let snapshot = try store.newestSnapshot(of: loop)
        var recovered = RecoveredLoop(loop: loop, snapshot: snapshot)
        try store.readTail(of: loop) { record in
            try recovered.apply(record)
            if case .event(let event) = record { try replay(event) }
        }
        return (snapshot, recovered)
    }
}
