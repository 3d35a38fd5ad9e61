public import MobiusJournal
public import MobiusWire

/// A connection of one worker, as the edge names it.
public struct Peer: Hashable, Sendable {
    /// The edge's name for the connection.
    public let token: UInt64

    /// Names a connection.
    public init(_ token: UInt64) {
        self.token = token
    }
}

/// One sender outside of the effects who waits for the commit of its event.
public struct RequestID: Hashable, Sendable {
    /// The edge's number for the request.
    public let number: UInt64

    /// Names a request.
    public init(_ number: UInt64) {
        self.number = number
    }
}

/// One batch of records on its way to the journal; tickets are committed in their order.
public struct Ticket: Hashable, Comparable, Sendable {
    /// Counts from 1.
    public let number: UInt64

    package init(_ number: UInt64) {
        self.number = number
    }

    /// Orders by number.
    public static func < (lhs: Ticket, rhs: Ticket) -> Bool { lhs.number < rhs.number }
}

/// An event that the typed loop must apply now.
public struct Application: Equatable, Sendable {
    /// Who waits for the event's commit.
    public enum Origin: Equatable, Sendable {
        /// This worker, for the ACK of a report.
        case worker(Incarnation)
        /// A local handler.
        case local
        /// The failure of an effect.
        case failure
        /// A timer of the loop's.
        case timer
        /// A sender outside of the effects.
        case outside(RequestID)
    }

    /// What the journal will remember of it.
    @usableFromInline private(set) var record: EventRecord
    /// Where the machine keeps the effect that it reports on, where it has looked that up.
    private(set) var effect: EffectSlot?
    /// Who waits for its commit.
    public var origin: Origin
    /// The W3C trace context that it came with, or empty: then what it asks for goes on with that of its effect.
    public var traceparent: String

    /// Describes an event to apply.
    public init(
        loop: LoopID, source: SourceKey, event: Payload, ends: EffectID?, origin: Origin, traceparent: String = ""
    ) {
        record = EventRecord(loop: loop, source: source, event: consume event, ends: ends)
        self.origin = origin
        self.traceparent = traceparent
    }

    /// A worker's report of an attempt at the effect in this slot.
    init(
        report: UInt32, of attempt: consuming AttemptID, at effect: EffectSlot, event: consuming Payload, isFinal: Bool,
        from worker: Incarnation, traceparent: String
    ) {
        record = EventRecord(report: report, of: attempt, event: event, isFinal: isFinal)
        origin = .worker(worker)
        self.traceparent = traceparent
        self.effect = effect
    }

    /// Whether all parts are equal that say what is applied.
    public static func == (one: Application, other: Application) -> Bool {
        one.record == other.record && one.origin == other.origin && one.traceparent == other.traceparent
    }

    /// What the journal will remember of it, alone: so it is not shared when the rest is filled in.
    consuming func takeRecord() -> EventRecord { record }

    /// The loop that applies it.
    public var loop: LoopID {
        @inlinable get { record.loop }
        set { record.loop = newValue }
    }

    /// What makes it unique.
    public var source: SourceKey {
        @inlinable get { record.source }
        set { record.source = newValue }
    }

    /// The event.
    public var event: Payload {
        @inlinable get {
            guard let event = record.event else { preconditionFailure("Only a loop's start has no event.") }
            return event
        }
        set { record.event = newValue }
    }

    /// The effect that it ends.
    public var ends: EffectID? {
        get { record.ends }
        set { record.ends = newValue }
    }
}

/// A loop as the journal remembers it.
public struct ResumedLoop: Equatable, Sendable {
    /// Its name.
    public var loop: LoopID
    /// The last event applied.
    public var lastSequence: UInt64
    /// The effects that have not ended, with the plans of today's routes.
    public var pending: [(PendingEffect, EffectPlan)]
    /// Keys of outside events that were applied, oldest first.
    public var outsideKeys: [String]
    /// Whether the journal knows more keys than these.
    public var forgetsKeys: Bool

    /// Describes a recovered loop.
    public init(
        loop: LoopID, lastSequence: UInt64, pending: [(PendingEffect, EffectPlan)], outsideKeys: [String] = [],
        forgetsKeys: Bool = false
    ) {
        self.loop = loop
        self.lastSequence = lastSequence
        self.pending = pending
        self.outsideKeys = outsideKeys
        self.forgetsKeys = forgetsKeys
    }

    /// Whether all parts are equal.
    public static func == (lhs: ResumedLoop, rhs: ResumedLoop) -> Bool {
        lhs.loop == rhs.loop && lhs.lastSequence == rhs.lastSequence && lhs.outsideKeys == rhs.outsideKeys
            && lhs.forgetsKeys == rhs.forgetsKeys
            && lhs.pending.elementsEqual(rhs.pending, by: ==)
    }
}

/// What can happen to a coordinator.
public enum CoordinatorInput: Equatable, Sendable {
    /// A loop begins: nothing of it is in the journal yet; if it was held, it no longer is.
    case begin(LoopID, effects: [PlannedEffect])
    /// A loop goes on from the journal; if it was held, it no longer is.
    // Apart, like other rare ones: or all inputs would be as large.
    indirect case recover(ResumedLoop)
    /// A loop of the journal cannot go on for now: its workers keep what they report, and its effects wait.
    ///
    /// One that ran until now is not to be recovered in this epoch, which has numbered attempts at its effects.
    case hold(LoopID)
    /// The time of the calendar, now. Hand it in before anything else, and again every second or so, for calendars jump.
    case wallClock(WallTime)
    /// The edge asks for an effect that no event asked for, under a name of its own that is new to the loop.
    ///
    /// It is not in the journal, and goes to its pool at once. Its loop has begun.
    case submit(EffectID, PlannedEffect)
    /// The effect is no longer wanted: its worker is told, and nothing that it still reports is applied.
    case cancel(EffectID)
    /// The loop ends for good, and all its effects are cancelled.
    case endLoop(LoopID)
    /// A worker's message came.
    case received(Envelope<WorkerMessage>, from: Peer)
    /// Bytes came that are no message.
    case malformed(WireError, from: Peer)
    /// The edge does not admit this peer, or no longer: its session ends, if it has one, and it is told this reason.
    case refused(Peer, reason: String)
    /// A message could not be sent because the connection is gone.
    case unreachable(Peer)
    /// Some connection ended; the edge does not know whose.
    case connectionEnded
    /// The typed loop applied an event, and `update` asked for these effects.
    case applied(Application, effects: [PlannedEffect])
    /// The typed loop could not read the event.
    case unreadable(Application, reason: String)
    /// The route of an effect makes no event of its failure, or of its time that has come.
    case unheard(EffectID)
    /// The effect cancels these, of which those count that were asked for before it and have not ended.
    case cancelSelected(EffectID, [EffectID])
    /// An operator wants this dead letter tried again, by this plan.
    indirect case revive(RequestID, DeadLetter, EffectPlan)
    /// An operator wants this effect tried again, which is under way: what made it so may be on its way to the disk.
    case retry(RequestID, EffectID)
    /// An operator wants this dead letter taken out.
    case drop(RequestID, EffectID)
    /// Somebody is to be shown what was decided so far: the request is confirmed once all of that is on disk.
    case look(RequestID)
    /// A local handler reports; `event` is `nil` only when `final`.
    case localReport(AttemptID, event: Payload?, final: Bool)
    /// A local handler failed: it is tried again by its route's policy, `delay` milliseconds later unless that is 0.
    case localFailed(AttemptID, retryable: Bool, delay: UInt32, reason: String)
    /// An event from outside the effects.
    case outside(RequestID, LoopID, key: String, event: Payload)
    /// Whether the journal knows the key of this event from outside.
    case lookedUp(RequestID, LoopID, key: String, event: Payload, isApplied: Bool)
    /// The records of this ticket are on disk.
    case committed(Ticket)
    /// Time passed; see ``CoordinatorMachine/nextDeadline``.
    case tick
    /// All that came has been handed in: decide what to send.
    case flush
    /// Stop orderly: take in nothing more, commit what was applied, tell the workers.
    case stop
}
