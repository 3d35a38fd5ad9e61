public import MobiusWire

/// Where an applied event came from; within one loop no two applied events have the same source.
public enum SourceKey: Hashable, Sendable {
    /// The loop's own start, sequence 0: it has effects but no event.
    case start
    /// The `number`th report, from 1, of an attempt at an effect.
    case report(AttemptID, number: UInt32)
    /// The event made from the failure of an effect, at most one per effect.
    case failure(EffectID)
    /// Sent from outside the effects, under a key its sender chose.
    case outside(String)
}

/// One event as it was applied, with the effects that `update` answered.
public struct EventRecord: Equatable, Sendable {
    /// The loop that applied it.
    public var loop: LoopID
    /// Its place in the loop's order: 0 for the start, then without gaps.
    public var sequence: UInt64
    /// What makes it unique.
    public var source: SourceKey
    /// The event; `nil` for ``SourceKey/start`` only.
    public var event: Payload?
    /// The effects `update` asked for, in order, as bytes: recovery does not compute them again.
    public var effects: [Payload]
    /// The effect that this event ended, when it is a final report or a failure: always its source's effect.
    public var ends: EffectID?

    /// Describes an applied event.
    public init(
        loop: LoopID, sequence: UInt64, source: SourceKey, event: Payload?, effects: [Payload], ends: EffectID?
    ) {
        self.loop = loop
        self.sequence = sequence
        self.source = source
        self.event = event
        self.effects = effects
        self.ends = ends
    }
}

/// One thing a journal remembers, in commit order.
public enum JournalRecord: Equatable, Sendable {
    /// An event was applied.
    case event(EventRecord)
    /// An effect ended without a (further) event.
    case ended(EffectID)
}

/// An effect that was asked for and has not ended.
public struct PendingEffect: Equatable, Sendable {
    /// Its name.
    public var id: EffectID
    /// What to do, as bytes.
    public var effect: Payload
    /// The newest report that was applied, when a handler sent some and has not ended: later ones of the same attempt
    /// count on from it.
    public var reported: ReportID?

    /// Describes a pending effect.
    public init(id: EffectID, effect: Payload, reported: ReportID? = nil) {
        self.id = id
        self.effect = effect
        self.reported = reported
    }
}

/// A loop's whole state after the event `sequence`: recovery starts from the newest one.
public struct Snapshot: Equatable, Sendable {
    /// The loop.
    public var loop: LoopID
    /// The last event that the model contains.
    public var sequence: UInt64
    /// The model, as bytes.
    public var model: Payload
    /// The FNV-1a (64 bits) hash of the model's bytes.
    public var hash: UInt64
    /// The effects that had not ended, in the order they were asked for.
    public var pending: [PendingEffect]

    /// Describes a snapshot.
    public init(loop: LoopID, sequence: UInt64, model: Payload, hash: UInt64, pending: [PendingEffect]) {
        self.loop = loop
        self.sequence = sequence
        self.model = model
        self.hash = hash
        self.pending = pending
    }
}
