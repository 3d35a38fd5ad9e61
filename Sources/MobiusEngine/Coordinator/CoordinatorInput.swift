public import MobiusJournal
public import MobiusWire

/// The edge's identifier of one worker's connection.
public struct Peer: Hashable, Sendable {
    /// The edge's number for the connection.
    public let token: UInt64

    /// Names a connection.
    public init(_ token: UInt64) {
        self.token = token
    }
}

/// The request of a client or of the app that waits for a commit.
public struct RequestID: Hashable, Sendable {
    /// The edge's number for the request.
    public let number: UInt64

    /// Names a request.
    public init(_ number: UInt64) {
        self.number = number
    }
}

/// One batch of records that is being written to the journal; tickets are committed in their order.
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
public struct EventApplication: Equatable, Sendable {
    /// The source that waits for the event's commit.
    public enum Origin: Equatable, Sendable {
        /// This worker, for the ACK of a report.
        case worker(Incarnation)
        /// A local handler.
        case local
        /// The failure of an effect.
        case failure
        /// A timer of the loop.
        case timer
        /// The answer of another loop to an effect.
        case answer
        /// A sender outside of the effects.
        case outside(RequestID)
        /// An effect that is an event for this loop; it ends when the event is recorded.
        // Indirect, to keep all applications small.
        indirect case effect(EffectID)
    }

    /// Its record for the journal.
    @usableFromInline private(set) var record: EventRecord
    /// The slot of the effect that it reports on, if the machine has looked it up.
    private(set) var effect: EffectSlot?
    /// The source that waits for its commit.
    public var origin: Origin
    /// Its W3C trace context, or empty: then its effects get that of the effect it reports on.
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

    /// Compares all parts that define what is applied.
    public static func == (one: EventApplication, other: EventApplication) -> Bool {
        one.record == other.record && one.origin == other.origin && one.traceparent == other.traceparent
    }

    /// Its record for the journal, taken out so that it is unshared when it is completed.
    consuming func takeRecord() -> EventRecord { record }

    /// The number of the event that asked for the effect that it reports on, if it reports on one.
    var asked: UInt64? { record.cause?.sequence }

    /// The loop that applies it.
    public var loop: LoopID {
        @inlinable get { record.loop }
        set { record.loop = newValue }
    }

    /// The key that makes it unique.
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

    /// The hashes of its sender and its content, if it came from outside.
    package var mark: SenderMark? {
        get { record.mark }
        set { record.mark = newValue }
    }

    /// The effect that it ends.
    public var ends: EffectID? {
        get { record.ends }
        set { record.ends = newValue }
    }
}

/// A loop's state from the journal.
public struct ResumedLoop: Equatable, Sendable {
    /// Its name.
    public var loop: LoopID
    /// The last event applied.
    public var lastSequence: UInt64
    /// The pending effects, with the plans of the current routes.
    public var pending: [(PendingEffect, EffectPlan)]
    /// Keys of outside events that were applied, oldest first.
    public var outsideKeys: [String]
    /// Whether the journal has more keys than these.
    public var forgetsKeys: Bool
    /// The time at which its last event was applied, if the events after its snapshot tell.
    public var lastEvent: WallTime?
    /// The event with which it began: later than 0 after it has begun again.
    public var began: UInt64

    /// Describes a recovered loop.
    public init(
        loop: LoopID, lastSequence: UInt64, pending: [(PendingEffect, EffectPlan)], outsideKeys: [String] = [],
        forgetsKeys: Bool = false, lastEvent: WallTime? = nil, began: UInt64 = 0
    ) {
        self.loop = loop
        self.lastSequence = lastSequence
        self.pending = pending
        self.outsideKeys = outsideKeys
        self.forgetsKeys = forgetsKeys
        self.began = began
        self.lastEvent = lastEvent
    }

    /// Whether all parts are equal.
    public static func == (lhs: ResumedLoop, rhs: ResumedLoop) -> Bool {
        lhs.loop == rhs.loop && lhs.lastSequence == rhs.lastSequence && lhs.outsideKeys == rhs.outsideKeys
            && lhs.forgetsKeys == rhs.forgetsKeys && lhs.lastEvent == rhs.lastEvent
            && lhs.pending.elementsEqual(rhs.pending, by: ==)
    }
}

extension ResumedLoop {
    /// Its pending effects in the order in which they go on: of an earlier life, what was left for its end comes after what was sent.
    var inOrder: [(PendingEffect, EffectPlan)] {
        guard began > 0, pending.contains(where: { $0.0.id.sequence < began && $0.1.waitsForEnd }) else {
            return pending
        }
        func rank(_ effect: (PendingEffect, EffectPlan)) -> Int {
            effect.0.id.sequence >= began ? 2 : effect.1.waitsForEnd ? 1 : 0
        }
        return (0...2).flatMap { wanted in pending.filter { rank($0) == wanted } }
    }
}

/// A pending effect with its plan by the current routes.
public struct PlannedPending: Equatable, Sendable {
    /// The effect.
    public var effect: PendingEffect
    /// The plan by which it is carried out.
    public var plan: EffectPlan

    /// Joins both.
    public init(_ effect: PendingEffect, _ plan: EffectPlan) {
        self.effect = effect
        self.plan = plan
    }
}

/// The number and time of a loop's event, as its record has them.
public struct EventPlace: Equatable, Sendable {
    /// The number of the event in its loop.
    public var number: UInt64
    /// The time at which it was applied, by the wall clock.
    public var time: WallTime

    /// Describes the place of an event.
    public init(number: UInt64, time: WallTime) {
        self.number = number
        self.time = time
    }
}

/// An input of a coordinator machine.
public enum CoordinatorInput: Equatable, Sendable {
    /// A loop begins: nothing of it is in the journal yet; if it was held, it no longer is.
    ///
    /// The number and time of its start are those with which its program was asked for it; `nil` leaves them to the machine.
    // Indirect, like other rare cases, to keep all inputs small.
    indirect case begin(LoopID, effects: [PlannedEffect], at: EventPlace? = nil)
    /// A loop continues from the journal; if it was held, it no longer is.
    indirect case recover(ResumedLoop)
    /// Only these workers may hold effects of the journal, as the coordinator knew that handed it over: effects that were asked
    /// for before wait for no others. Handed in before the first flush.
    case possibleHolders([Incarnation])
    /// The units of a limit of the cluster that the shard has from now on: it has none before.
    indirect case share(LimitGrant)
    /// A loop of the journal that has ended, with the events for other loops that it had asked for and that are to be delivered.
    indirect case recoverEnded(EndedLoop, pending: [PlannedPending])
    /// The event came to its loop after the loop's end, which is not on disk yet, and was not applied.
    case dismissed(EventApplication)
    /// Nothing of these ended loops is left in the journal.
    case removed([LoopID])
    /// The number with which loops that are new to the journal begin. Hand it in before any of them begins; 0 until then.
    case newLoops(from: UInt64)
    /// The loops of the journal that a start does not recover, because they are idle. Hand it in before the others.
    ///
    /// Where there are several programs, also how many there are of each of `CoordinatorConfiguration.kinds`.
    case idleLoops(IdleTotals, ofKinds: [Int] = [])
    /// Somebody reads the loop, which stays in memory for a while.
    case use(LoopID)
    /// These loops of an ``CoordinatorAction/evict(_:)`` are stored as idle.
    case parked([LoopID])
    /// These loops of an ``CoordinatorAction/evict(_:)`` cannot leave now.
    case stay([LoopID])
    /// A loop that was not in memory was read: it was recovered or held before this input; or it does not exist, without a
    /// `sequence`, the number of its last event.
    case returned(LoopID, sequence: UInt64?)
    /// A loop of the journal cannot continue for now: workers keep its reports, and its effects wait.
    ///
    /// A loop that was running cannot be recovered in this epoch, because the epoch has numbered attempts of its
    /// effects.
    case hold(LoopID)
    /// The current wall-clock time. Hand it in before anything else, and again about every second, because wall clocks
    /// jump.
    case wallClock(WallTime)
    /// The edge starts an effect that no event asked for, under an id that is new to the loop.
    ///
    /// It is not in the journal, and goes to its pool at once. Its loop has begun.
    case submit(EffectID, PlannedEffect)
    /// Cancels the effect: its worker is notified, and its later reports are not applied.
    case cancel(EffectID)
    /// The loop ends for good, and all its effects are cancelled.
    case endLoop(LoopID)
    /// A worker's message arrived.
    case received(Envelope<WorkerMessage>, from: Peer)
    /// Invalid bytes arrived.
    case malformed(WireError, from: Peer)
    /// The edge does not admit this peer, or no longer does: its session ends, if it has one, and it gets this reason.
    case refused(Peer, reason: String)
    /// A message could not be sent because the connection is gone.
    case unreachable(Peer)
    /// Some connection ended; the edge cannot tell which one.
    case connectionEnded
    /// The typed loop applied an event, and `update` asked for these effects.
    case applied(EventApplication, effects: [PlannedEffect])
    /// The typed loop could not read the event.
    case unreadable(EventApplication, reason: String)
    /// The route of an effect makes no event of its failure, or of its timer.
    case completedWithoutEvent(EffectID)
    /// The effect could not be given to its loop: because that cannot take an event now, or for this reason for good.
    case undelivered(EffectID, reason: String?)
    /// The loop in memory that this effect ends, because its own loop has ended.
    case endAlong(EffectID, LoopID)
    /// The effect could not be given to its loop yet, because that is being read from the journal, or is in
    /// another shard; `arrived` follows.
    case awaiting(EffectID)
    /// The loop of an `awaiting` effect was read.
    case arrived(LoopID)
    /// The event of an effect is on disk in another shard, whose loop told its sender this; or the loop that it would begin here
    /// refuses it. `nil` when what it told is not known.
    indirect case answered(EffectID, LoopReply?)
    /// The event of an `awaiting` effect is refused in another shard for this reason.
    case undeliverable(EffectID, reason: String)
    /// The event of an `awaiting` effect was refused in another shard for this reason, which depends on the build or the settings of
    /// the coordinator there; `arrived` follows, and it is sent again.
    case heldBack(EffectID, reason: String)
    /// The effect cancels those of these that were asked for before it and have not ended.
    case cancelSelected(EffectID, [EffectID])
    /// An operator retries this dead letter, with this plan.
    indirect case requeue(RequestID, DeadLetter, EffectPlan, by: String? = nil)
    /// An operator retries this effect, which is already pending: the change that made it pending may not be on disk
    /// yet.
    case retry(RequestID, EffectID)
    /// An operator does this to a pending effect; the event of an act that completes it is one that the program reads.
    indirect case act(RequestID, EffectID, EffectAct, event: Payload? = nil, by: String? = nil, why: String)
    /// The pause of this pool, or that it has none, is on disk, perhaps since before the request; that is confirmed once nothing from
    /// before can start any more.
    indirect case pause(PoolPause?, of: String, RequestID? = nil, repeated: Bool = false)
    /// An operator ends this loop for good.
    case end(RequestID, LoopID, by: String? = nil, why: String)
    /// An operator drops this dead letter.
    case drop(RequestID, EffectID, by: String? = nil)
    /// A request for the current state: it is confirmed once all earlier decisions are on disk.
    case look(RequestID)
    /// A local handler reports; `event` is `nil` only when `final`.
    case localReport(AttemptID, event: Payload?, final: Bool)
    /// A local handler failed: its route's policy decides on a retry, after `delay` milliseconds unless that is 0.
    case localFailed(AttemptID, retryable: Bool, delay: UInt32, reason: String)
    /// An event from outside.
    case outside(RequestID, LoopID, key: String, event: Payload)
    /// Whether the journal has the key of this outside event.
    case lookedUp(RequestID, LoopID, key: String, event: Payload, isApplied: Bool)
    /// The records of this ticket are on disk.
    case committed(Ticket)
    /// Time passed; see ``CoordinatorMachine/nextDeadline``.
    case tick
    /// All inputs have been handed in: decide what to send.
    case flush
    /// Shut down: stop intake, commit applied events, notify the workers.
    case stop
}
