/// The status of a coordinator, its loops and its workers.
public struct FleetStatus: Hashable, Sendable, Codable {
    /// The program's name.
    public var program: String
    /// The coordinator's build.
    public var build: String
    /// Its journal.
    public var journal: JournalID
    /// The coordinator's run on that journal; the answer's head carries it, too.
    public var epoch: UInt64
    /// The time at which this run began.
    public var started: WallTime
    /// The largest payload that it takes, in bytes.
    public var maximumPayload: UInt32
    /// The number of pending effects, over all loops.
    public var pending: UInt64
    /// The number of dead letters that are kept, over all loops.
    public var letters: UInt64
    /// The number of loops; ``loops`` may show fewer.
    public var loopCount: UInt64
    /// Loops in the order of their names, at most ``ClientRequest/maximumPage``; those that are held come first.
    public var loops: [LoopStatus]
    /// The pools that effects went to or workers serve in this run, at most ``ClientRequest/maximumPage``.
    public var pools: [PoolStatus]
    /// The workers in a session, at most ``ClientRequest/maximumPage``.
    public var workers: [WorkerStatus]
    /// The sum of the numbers of all loops' last events: its growth is the number of events applied; `nil` from a coordinator of
    /// an earlier build.
    public var events: UInt64?
    /// The number of held loops, of which ``loops`` may show fewer; `nil` from a coordinator of an earlier build.
    public var heldCount: UInt64?

    /// Describes a fleet.
    public init(
        program: String, build: String, journal: JournalID, epoch: UInt64, started: WallTime, maximumPayload: UInt32,
        pending: UInt64 = 0, letters: UInt64 = 0, loopCount: UInt64 = 0, loops: [LoopStatus] = [],
        pools: [PoolStatus] = [], workers: [WorkerStatus] = [], events: UInt64? = nil,
        heldCount: UInt64? = nil
    ) {
        self.program = program
        self.build = build
        self.journal = journal
        self.epoch = epoch
        self.started = started
        self.maximumPayload = maximumPayload
        self.pending = pending
        self.letters = letters
        self.loopCount = loopCount
        self.loops = loops
        self.pools = pools
        self.workers = workers
        self.events = events
        self.heldCount = heldCount
    }

    private enum CodingKeys: String, CodingKey {
        case program, build, journal, epoch, started, maximumPayload
        case pending = "pendingEffects"
        case letters = "deadLetters"
        case loopCount
        case heldCount = "heldLoops"
        case events, loops, pools, workers
    }
}

/// One loop of a ``FleetStatus``.
public struct LoopStatus: Hashable, Sendable, Codable {
    /// Its name.
    public var loop: LoopID
    /// The number of the last event applied; the loop's start is 0.
    public var sequence: UInt64
    /// The number of its pending effects.
    public var pending: UInt64
    /// Whether an event in quarantine holds it.
    public var isHeld: Bool

    /// Describes a loop.
    public init(loop: LoopID, sequence: UInt64, pending: UInt64, isHeld: Bool = false) {
        self.loop = loop
        self.sequence = sequence
        self.pending = pending
        self.isHeld = isHeld
    }

    private enum CodingKeys: String, CodingKey {
        case loop
        case sequence = "lastSequence"
        case pending = "pendingEffects"
        case isHeld
    }
}

/// One pool of a ``FleetStatus``.
public struct PoolStatus: Hashable, Sendable, Codable {
    /// Its name.
    public var pool: String
    /// The number of workers that serve it.
    public var workers: UInt32
    /// The number of effects that wait for it: for a worker with room, or for their next attempt.
    public var waiting: UInt64
    /// The number of effects that run in it.
    public var running: UInt64
    /// The number of further effects that its workers would take now; they are shared with the workers' other pools.
    public var credit: UInt64
    /// Milliseconds since the oldest effect that waits or runs was asked for; `nil` when there is none.
    public var oldest: UInt64?
    /// The number of waiting effects that would start at once, had a worker room for them, limits of their routes
    /// aside; `nil` from a coordinator of an earlier build.
    public var ready: UInt64?
    /// Milliseconds since the oldest of these was asked for.
    public var oldestReady: UInt64?
    /// The pause of the pool; `nil` when it is not paused.
    public var pause: PoolPause?

    /// Describes a pool.
    public init(
        pool: String, workers: UInt32, waiting: UInt64, running: UInt64, credit: UInt64 = 0, oldest: UInt64? = nil,
        ready: UInt64? = nil, oldestReady: UInt64? = nil, pause: PoolPause? = nil
    ) {
        self.pool = pool
        self.workers = workers
        self.waiting = waiting
        self.running = running
        self.credit = credit
        self.oldest = oldest
        self.ready = ready
        self.oldestReady = oldestReady
        self.pause = pause
    }

    private enum CodingKeys: String, CodingKey {
        case pool, workers, waiting, running
        case oldest = "oldestMilliseconds"
        case ready
        case oldestReady = "oldestReadyMilliseconds"
        case credit, pause
    }
}

/// One worker of a ``FleetStatus``.
public struct WorkerStatus: Hashable, Sendable, Codable {
    /// The identity of this run of its process.
    public var incarnation: Incarnation
    /// The pools that it serves.
    public var pools: [String]
    /// The build of its program.
    public var build: String
    /// The number of effects that it holds.
    public var running: UInt32
    /// The number of further effects that it would take.
    public var free: UInt32
    /// Milliseconds since it was last heard.
    public var silence: UInt64
    /// Whether it takes no more and will leave.
    public var isDraining: Bool
    /// The name that its supervisor gave the process, such as `page-fetcher.2`; empty if it has none.
    @Sparse public var name: String

    /// Describes a worker.
    public init(
        incarnation: Incarnation, pools: [String], build: String, running: UInt32, free: UInt32, silence: UInt64,
        isDraining: Bool = false, name: String = ""
    ) {
        self.incarnation = incarnation
        self.pools = pools
        self.build = build
        self.running = running
        self.free = free
        self.silence = silence
        self.isDraining = isDraining
        self.name = name
    }

    private enum CodingKeys: String, CodingKey {
        case incarnation = "worker"
        case name, pools, build, running
        case free = "credit"
        case silence = "silenceMilliseconds"
        case isDraining
    }
}
