public import MobiusWire

/// The configuration of a worker machine.
public struct WorkerConfiguration: Equatable, Sendable {
    /// This run of this process.
    public var incarnation: Incarnation
    /// The pools it serves, at least one.
    public var pools: [String]
    /// The build of its program, for operators.
    public var build: String
    /// The name that the process's supervisor gave it, for operators; empty without one.
    public var name: String
    /// The codings it reads, by content type.
    public var contentTypes: [String]
    /// The number of effects that it may run at once, at least 1.
    public var capacity: Int
    /// The times of sessions, until WELCOME sets those of the coordinator.
    public var timing: SessionTiming
    /// The longest pause before it reconnects, or sends HELLO again; pauses double up to it: 2 s.
    public var maximumPause: Duration
    /// The time that it may take to shut down when the coordinator asks it to: 30 s.
    public var drainLimit: Duration
    /// The time that cancelled handlers may take to end before it exits: 1 s.
    public var stopGrace: Duration
    /// Draws the jitter of its pauses.
    public var seed: UInt64
    /// The front doors of all coordinators, tried in turn; empty if the transport connects to one coordinator only.
    public var endpoints: [String]
    /// The shard whose effects it runs: 0 for the only one of most journals.
    public var shard: UInt32 = 0
    /// The names of the types of effects for which it has handlers, former names included; empty to say nothing of them.
    public var effectTypes: [String] = []

    /// Describes a worker.
    public init(
        incarnation: Incarnation, pools: [String], build: String, contentTypes: [String], capacity: Int,
        timing: SessionTiming = SessionTiming(), maximumPause: Duration = .seconds(2),
        drainLimit: Duration = .seconds(30), stopGrace: Duration = .seconds(1), seed: UInt64 = 0, name: String = "",
        endpoints: [String] = []
    ) {
        precondition(!pools.isEmpty, "A worker serves at least one pool.")
        self.incarnation = incarnation
        self.pools = pools
        self.build = build
        self.name = name
        self.contentTypes = contentTypes
        self.capacity = max(1, capacity)
        self.timing = timing
        self.maximumPause = maximumPause
        self.drainLimit = drainLimit
        self.stopGrace = stopGrace
        self.seed = seed
        self.endpoints = endpoints
    }
}

/// An input of a worker machine.
public enum WorkerInput: Equatable, Sendable {
    /// The socket has a connection: messages can be sent.
    case connected
    /// The connection was lost, or could not be made.
    ///
    /// With one coordinator it changes nothing, because the socket connects again by itself.
    case disconnected
    /// A coordinator's message arrived.
    case received(Envelope<CoordinatorMessage>)
    /// Bytes came that are no message.
    case malformed(WireError)
    /// A handler reports; `event` is `nil` only when `final`, which is when it has ended.
    ///
    /// Every handler that was run ends once, in this way or by `failed`, even if it was cancelled: only then is its
    /// slot free.
    case report(AttemptID, event: Payload?, final: Bool)
    /// A handler failed, and has ended.
    case failed(AttemptID, retryable: Bool, delay: UInt32, reason: String)
    /// The times at which handlers last reported progress; handlers that never did are missing.
    ///
    /// Handed in before each `tick` and `connected`, because heartbeats and HELLO contain it.
    case progress([AttemptID: Moment])
    /// Take no more effects, finish the held ones until `deadline`, and shut down.
    case drain(deadline: Moment)
    /// Time passed; see ``WorkerMachine/nextDeadline``.
    case tick
    /// All inputs have been handed in: decide what to send.
    case flush
}

/// An action that a worker's edge must perform, in the given order.
public enum WorkerAction: Equatable, Sendable {
    /// Send a message; when that is not possible now, drop it.
    case send(Envelope<WorkerMessage>)
    /// Close the socket, wait, and connect a new one.
    case reconnect(after: Duration)
    /// Close the socket, wait, and connect a new one to this endpoint; `nil` for the only one that the transport has.
    case move(to: String?, after: Duration)
    /// Run a handler, on another thread.
    case run(EffectOrder)
    /// Ask a handler to stop. It still reports its end, even if the report is no longer needed.
    case cancel(AttemptID)
    /// This number of events and bytes of a running handler are acknowledged: it may send as many more.
    case acknowledged(AttemptID, events: Int, bytes: Int)
    /// Log a note for the operator.
    case note(WorkerNote)
    /// No more actions follow: send the messages, close the socket, and end the process.
    case exit(WorkerExit)
}

/// The reason why a worker ends.
public enum WorkerExit: Equatable, Sendable {
    /// All its effects were finished and acknowledged, or it held none.
    case drained
    /// The time for draining is over; this number of attempts were cancelled, and their effects will run elsewhere.
    case gaveUp(attempts: Int)
    /// The coordinator does not admit it.
    case rejected(String)
}

/// A note for the operator.
public enum WorkerNote: Equatable, Sendable {
    /// A session began.
    case joined(epoch: UInt64, session: UInt64)
    /// The coordinator is silent, or the connection was lost.
    case silent
    /// The connection to one of several coordinators was lost.
    case disconnected
    /// The coordinator stops and will return.
    case coordinatorStopping
    /// A coordinator of an old epoch was refused.
    case refusedEpoch(UInt64, newest: UInt64)
    /// The coordinator has another journal now: this number of attempts of the former journal were dropped.
    case otherJournal(dropped: Int)
    /// Bytes came that are no message.
    case malformed(WireError)
    /// Draining began.
    case draining(held: Int)
}
