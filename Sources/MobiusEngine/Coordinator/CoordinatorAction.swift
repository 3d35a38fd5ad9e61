public import MobiusJournal
public import MobiusWire

/// What a coordinator's edge must do, in the order given.
public enum CoordinatorAction: Equatable, Sendable {
    /// Apply this event, and answer with `applied` or `unreadable` before anything else is handed in.
    case apply(Application)
    /// Make an event of this failure and apply it; answer with `applied` or `unheard` before anything else.
    ///
    /// Its source is `failure` with this `round`, and it ends the effect.
    // Apart, like other rare ones: or all actions would be as large.
    indirect case applyFailure(EffectID, effect: Payload, EffectFailure, round: UInt32)
    /// Make an event of this timer and apply it; answer with `applied` or `unheard` before anything else.
    ///
    /// Its source is `timer` with this `due`; a timer that fires again does not end with it.
    indirect case applyTimer(EffectID, effect: Payload, due: WallTime, ends: Bool)
    /// Find out which effects of the loop this one cancels; answer with `cancelSelected` before anything else.
    indirect case selectCancelled(EffectID, effect: Payload)
    /// Write these records; answer with `committed` once they are on disk. Writes keep their order.
    case append(Ticket, [JournalRecord])
    /// Send a message. When the connection is gone, answer with `unreachable`; when its buffer is full, drop it.
    case send(Peer, Envelope<CoordinatorMessage>)
    /// Run an effect in this process.
    case runLocal(AttemptID, Payload)
    /// So many events of a handler in this process, with so many bytes, are on disk: it may send as many more.
    case acknowledged(AttemptID, events: Int, bytes: Int)
    /// What this request asked for is on disk; `repeated` when it was before.
    case confirm(RequestID, repeated: Bool)
    /// What this request asked for was not done, and asking again will not help.
    case refuse(RequestID, ClientRefusal)
    /// What this request asked for was not done, because the coordinator is stopping: the next one will answer it.
    case stopping(RequestID)
    /// Look this key up in the journal, which knows more of them than the machine; answer with `lookedUp`, at any time.
    indirect case lookUp(RequestID, LoopID, key: String, event: Payload)
    /// There is too much to do already: the sender should try again later.
    case busy(RequestID)
    /// Tell the operator.
    case note(CoordinatorNote)
    /// Everything is on disk and said: nothing more will come.
    case stopped
}

/// What an operator should know.
public enum CoordinatorNote: Equatable, Sendable {
    /// A worker was admitted, holding so many effects that go on there.
    case joined(Incarnation, pools: [String], build: String, adopted: Int)
    /// A worker is silent: it gets no new effects.
    case suspected(Incarnation)
    /// A worker left orderly; so many of its effects go to others.
    case left(Incarnation, effects: Int)
    /// A worker is lost; so many of its effects go to others.
    case lost(Incarnation, effects: Int)
    /// A worker takes no more effects and will leave.
    case draining(Incarnation)
    /// An attempt ran out of time on the worker of this name.
    case timedOut(AttemptID, EffectTimeout, worker: String)
    /// Orders that were lost on their way were sent again.
    case redelivered(Incarnation, effects: Int)
    /// A peer was refused.
    case refused(Peer, reason: String)
    /// Effects wait for a pool that no worker serves.
    case unserved(pool: String, effects: Int)
    /// A worker reported an event that this program cannot read.
    case unreadable(AttemptID, reason: String)
}
