public import MobiusJournal
public import MobiusWire

/// An action that a coordinator's edge must perform, in the given order.
public enum CoordinatorAction: Equatable, Sendable {
    /// Apply this event, and answer with `applied` or `unreadable` before anything else is handed in.
    case apply(EventApplication)
    /// Make an event of this failure and apply it; answer with `applied` or `completedWithoutEvent` before anything else.
    ///
    /// Its source is `failure` with this `round`, and it ends the effect.
    // Indirect, like other rare cases, to keep all actions small.
    indirect case applyFailure(EffectID, effect: Payload, EffectFailure, round: UInt32)
    /// Make an event of what the loop that this effect asked has told it, and apply that; answer with `applied` or
    /// `completedWithoutEvent` before anything else.
    ///
    /// Its source is `answer`, and it ends the effect.
    indirect case applyAnswer(EffectID, effect: Payload, LoopReply)
    /// Make an event of this timer and apply it; answer with `applied` or `completedWithoutEvent` before anything else.
    ///
    /// Its source is `timer` with this `due`; a timer that fires again does not end with it.
    indirect case applyTimer(EffectID, effect: Payload, due: WallTime, ends: Bool)
    /// Apply the event that this effect is for another loop, which begins before if it does not exist; answer with `applied`,
    /// `unreadable`, `completedWithoutEvent` or `undelivered` before anything else.
    ///
    /// Its source is `loop`.
    indirect case deliver(EffectID, effect: Payload, to: LoopID)
    /// Begin this event's loop, unless it exists, and apply the event; answer with `begin`, then as for `apply`.
    ///
    /// The loop has ended before and begins again.
    indirect case applyAnew(EventApplication)
    /// The loop has ended: what it applied before is appended next, and it applies nothing more.
    case ended(LoopID)
    /// Cancel a handler in this process; its later reports are ignored.
    case cancelLocal(AttemptID)
    /// Remove all that the journal keeps of these ended loops; answer with `removed`, at any time.
    case remove([LoopID])
    /// Select the effects of the loop that this one cancels; answer with `cancelSelected` before anything else.
    indirect case selectCancelled(EffectID, effect: Payload)
    /// Write these records; answer with `committed` once they are on disk. Writes keep their order.
    case append(Ticket, [JournalRecord])
    /// Send a message. When the connection is gone, answer with `unreachable`; when its buffer is full, drop it.
    case send(Peer, Envelope<CoordinatorMessage>)
    /// Run an effect in this process.
    case runLocal(AttemptID, Payload)
    /// This number of events and bytes of a handler in this process are on disk: it may send as many more.
    case acknowledged(AttemptID, events: Int, bytes: Int)
    /// The request's change is on disk; `repeated` if it was on disk before.
    case confirm(RequestID, repeated: Bool)
    /// The event of this request is on disk: its sender gets its number, and what the program told it.
    case confirmEvent(RequestID, EventConfirmation)
    /// An event with this key was on disk before: the journal knows whether it is this one, and what its sender was told.
    indirect case confirmAgain(RequestID, LoopID, key: String, event: Payload)
    /// The request changed nothing, and a repetition will not help.
    case refuse(RequestID, ClientRefusal)
    /// The request's event was applied: confirm it once that is on disk, unless the event holds the loop.
    case conclude(RequestID, LoopID)
    /// There is nothing of the request's name.
    case unknown(RequestID)
    /// The request changed nothing, because the coordinator is stopping: the next one will answer it.
    case stopping(RequestID)
    /// Look this key up in the journal, which has more keys than the machine; answer with `lookedUp`, at any time.
    indirect case lookUp(RequestID, LoopID, key: String, event: Payload)
    /// The coordinator is overloaded: the sender should retry later.
    case busy(RequestID)
    /// Store these loops as idle, with snapshots if events lie behind their newest ones; answer with `parked` or `stay` for
    /// each, at any time.
    case evict([LoopID])
    /// The loop leaves memory: it is idle, and on disk.
    case unload(LoopID)
    /// The loop is not in memory, and perhaps on disk: keep this event until it was read.
    indirect case await(RequestID, LoopID, key: String, event: Payload)
    /// Hand in the events and requests that waited for this loop.
    case takeWaiting(LoopID)
    /// This is all that could be used of the cluster's limits; ``CoordinatorInput/share(_:)`` may answer at any time.
    case demand([LimitDemand])
    /// Log a note for the operator.
    case note(CoordinatorNote)
    /// Everything is on disk and sent: no more actions will follow.
    case stopped
}

/// A note for the operator.
public enum CoordinatorNote: Equatable, Sendable {
    /// A worker was admitted; `adopted` effects continue there.
    case joined(Incarnation, pools: [String], build: String, adopted: Int)
    /// A worker is silent: it gets no new effects.
    case suspected(Incarnation)
    /// A worker shut down; `effects` of its effects go to others.
    case left(Incarnation, effects: Int)
    /// A worker is lost; `effects` of its effects go to others.
    case lost(Incarnation, effects: Int)
    /// A worker takes no more effects and will shut down.
    case draining(Incarnation)
    /// An attempt ran out of time on the worker of this name.
    case timedOut(AttemptID, EffectTimeout, worker: String)
    /// Lost orders were sent again.
    case redelivered(Incarnation, effects: Int)
    /// A peer was refused.
    case refused(Peer, reason: String)
    /// A worker was refused because it knows a later epoch than this coordinator's own.
    case outranked(Peer, by: UInt64, own: UInt64)
    /// Effects wait for a pool that no worker serves.
    case unserved(pool: String, effects: Int)
    /// A worker reported an event that this program cannot read.
    case unreadable(AttemptID, reason: String)
    /// An effect could not be given to its loop, and its route makes no event of that.
    case undelivered(EffectID, to: LoopID)
    /// A loop could not begin, because there are as many loops as there may be; with a kind, as many of that.
    case loopRefused(LoopID, limit: Int, kind: String?)
}
