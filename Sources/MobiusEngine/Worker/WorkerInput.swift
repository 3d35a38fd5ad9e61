public import MobiusWire

/// What a worker machine is told at its start.
public struct WorkerConfiguration: Equatable, Sendable {
    /// This run of this process.
    public var incarnation: Incarnation
    /// The pools it serves, at least one.
    public var pools: [String]
    /// The build of its program, for operators.
    public var build: String
    /// What whoever started the process calls it, for operators; empty when nobody does.
    public var name: String
    /// The codings it reads, by content type.
    public var contentTypes: [String]
    /// How many effects it may hold running at once, at least 1.
    public var capacity: Int
    /// How long both sides wait for each other, until WELCOME says what the coordinator wants.
    public var timing: SessionTiming
    /// The longest pause before it connects again, or says HELLO again; pauses double up to it: 2 s.
    public var maximumPause: Duration
    /// How long it may take to leave when the coordinator tells it to: 30 s.
    public var drainLimit: Duration
    /// How long handlers that it gave up may take to end, before it leaves: 1 s.
    public var stopGrace: Duration
    /// Draws the jitter of its pauses.
    public var seed: UInt64

    /// Describes a worker.
    public init(
        incarnation: Incarnation, pools: [String], build: String, contentTypes: [String], capacity: Int,
        timing: SessionTiming = SessionTiming(), maximumPause: Duration = .seconds(2),
        drainLimit: Duration = .seconds(30), stopGrace: Duration = .seconds(1), seed: UInt64 = 0, name: String = ""
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
    }
}

/// What can happen to a worker.
public enum WorkerInput: Equatable, Sendable {
    /// The socket has a connection: messages can be sent.
    case connected
    /// A coordinator's message came.
    case received(Envelope<CoordinatorMessage>)
    /// Bytes came that are no message.
    case malformed(WireError)
    /// A handler reports; `event` is `nil` only when `final`, which is when it has ended.
    ///
    /// Every handler that was run ends so or by `failed`, once, also one that was cancelled: only then is its slot free.
    case report(AttemptID, event: Payload?, final: Bool)
    /// A handler could not do what was asked, and has ended.
    case failed(AttemptID, retryable: Bool, delay: UInt32, reason: String)
    /// When handlers last said that their work goes on; those that never did are missing.
    ///
    /// Handed in before each `tick` and `connected`, because that is what heartbeats and HELLO tell.
    case progress([AttemptID: Moment])
    /// Take nothing more, finish what is held until `deadline`, leave.
    case drain(deadline: Moment)
    /// Time passed; see ``WorkerMachine/nextDeadline``.
    case tick
    /// All that came has been handed in: decide what to send.
    case flush
}

/// What a worker's edge must do, in the order given.
public enum WorkerAction: Equatable, Sendable {
    /// Send a message; when that is not possible now, drop it.
    case send(Envelope<WorkerMessage>)
    /// Close the socket, wait, and connect a new one.
    case reconnect(after: Duration)
    /// Run a handler, on another thread.
    case run(EffectOrder)
    /// Ask a handler to stop. It still reports how it ends, also when nobody waits for that any more.
    case cancel(AttemptID)
    /// So many events of a handler that goes on, with so many bytes, are acknowledged: it may send as many more.
    case acknowledged(AttemptID, events: Int, bytes: Int)
    /// Tell the operator.
    case note(WorkerNote)
    /// Nothing more will come: send what was said, close, and end the process.
    case exit(WorkerExit)
}

/// Why a worker ends.
public enum WorkerExit: Equatable, Sendable {
    /// All that it held was finished and acknowledged, or it held nothing.
    case drained
    /// The time for draining is over; so many attempts were given up, told to stop, and will run elsewhere.
    case gaveUp(attempts: Int)
    /// The coordinator does not admit it.
    case rejected(String)
}

/// What an operator should know.
public enum WorkerNote: Equatable, Sendable {
    /// A session began.
    case joined(epoch: UInt64, session: UInt64)
    /// The coordinator is silent, or gone.
    case silent
    /// The coordinator stops and will come back.
    case coordinatorStopping
    /// A coordinator of an epoch that is over was refused.
    case refusedEpoch(UInt64, newest: UInt64)
    /// The coordinator has another journal now: so many attempts of the old one were dropped.
    case otherJournal(dropped: Int)
    /// Bytes came that are no message.
    case malformed(WireError)
    /// Draining began.
    case draining(held: Int)
}
