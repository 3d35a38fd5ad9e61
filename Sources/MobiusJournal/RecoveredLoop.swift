public import MobiusWire

/// What a journal says about one loop, folded record by record: where it stands and which effects have not ended.
///
/// It is a pure value: the model is its caller's to replay. Memory grows with the pending effects, not with the records.
public struct RecoveredLoop: Sendable {
    /// The loop.
    public let loop: LoopID
    /// The last event that was applied; `nil` when the loop has not started.
    public private(set) var lastSequence: UInt64?
    // By sequence and index only: hashing a whole EffectID would hash the loop's name for every effect.
    private var effects: [Key: Pending] = [:]

    private struct Pending {
        let effect: Payload
        var reported: ReportID?
    }

    private struct Key: Hashable, Comparable {
        let sequence: UInt64
        let index: UInt32

        static func < (lhs: Key, rhs: Key) -> Bool { (lhs.sequence, lhs.index) < (rhs.sequence, rhs.index) }
    }

    /// Begins at `snapshot`, or before the start of `loop` when there is none.
    public init(loop: LoopID, snapshot: Snapshot?) {
        self.loop = loop
        guard let snapshot else { return }
        precondition(snapshot.loop == loop, "The snapshot is of loop \(snapshot.loop), not of \(loop).")
        lastSequence = snapshot.sequence
        for pending in snapshot.pending {
            effects[Key(sequence: pending.id.sequence, index: pending.id.index)] = Pending(
                effect: pending.effect, reported: pending.reported)
        }
    }

    /// The effects that were asked for and have not ended, in the order they were asked for.
    public var pending: [PendingEffect] {
        effects.sorted { $0.key < $1.key }.map { key, pending in
            PendingEffect(
                id: EffectID(loop: loop, sequence: key.sequence, index: key.index), effect: pending.effect,
                reported: pending.reported)
        }
    }

    /// Takes the next record, in commit order.
    ///
    /// An end of an effect that is not pending changes nothing.
    ///
    /// - Throws: ``JournalError`` with code `damaged` when the record is of another loop or an event is missing before it.
    public mutating func apply(_ record: JournalRecord) throws(JournalError) {
        guard record.loop == loop else {
            throw JournalError(.damaged, "A record of loop \(record.loop) stands among those of loop \(loop).")
        }
        switch record {
        case .event(let event):
            let expected = lastSequence.map { $0 + 1 } ?? 0
            guard event.sequence == expected else {
                throw JournalError(
                    .damaged, "Event \(expected) of loop \(loop) is missing: the next one is \(event.sequence).")
            }
            lastSequence = event.sequence
            if let ended = event.ends {
                end(ended)
            } else if case .report(let attempt, let number) = event.source {
                let key = Key(sequence: attempt.effect.sequence, index: attempt.effect.index)
                effects[key]?.reported = ReportID(attempt: attempt, number: number)
            }
            for (index, effect) in event.effects.enumerated() {
                effects[Key(sequence: event.sequence, index: UInt32(index))] = Pending(effect: effect)
            }
        case .ended(let effect):
            end(effect)
        }
    }

    private mutating func end(_ effect: EffectID) {
        effects[Key(sequence: effect.sequence, index: effect.index)] = nil
    }
}

extension RecoveredLoop {
    /// Reads a loop back from a store: the newest snapshot, then each later event to `replay`, in order.
    ///
    /// - Returns: the snapshot that the replay began at, if any, and the loop after the last event.
    /// - Throws: ``JournalError`` with code `damaged`; what `replay` throws.
    public static func read(
        _ loop: LoopID, from store: any JournalStore, replay: (EventRecord) throws -> Void = { _ in }
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
