/// A pending effect, as a coordinator shows it to operators.
public struct EffectSummary: Hashable, Sendable, Codable {
    /// The phase of a pending effect, which tells what it waits for; more may come, so match with a default.
    public struct Phase: RawRepresentable, Hashable, Sendable, Codable {
        /// The name on the wire and on screens, up to 255 bytes.
        public let rawValue: String

        /// Names a phase.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// Until a worker has room and its turn comes.
        public static let waiting = Phase(rawValue: "waiting")
        /// Until its handler ends.
        public static let running = Phase(rawValue: "running")
        /// Until the pause before its next attempt is over.
        public static let pausing = Phase(rawValue: "pausing")
        /// Until its time comes: a timer.
        public static let timer = Phase(rawValue: "timer")
        /// Until its loop, which is held by an event in quarantine, is released.
        public static let held = Phase(rawValue: "held")

        /// The phases that are known here.
        package static let known: [Phase] = [.waiting, .running, .pausing, .timer, .held]
    }

    /// The id of the effect.
    public var id: EffectID
    /// Its loop.
    public let loop: LoopID
    /// The name of its payload's type, up to 255 bytes.
    public var type: String
    /// The version of that type.
    public var typeVersion: UInt16
    /// The coding of the payload, such as `application/json`.
    public var contentType: String
    /// The bytes of its payload.
    public var size: UInt32
    /// The pool that it goes to; `nil` for what the coordinator does itself.
    public var pool: String?
    /// The phase, which tells what it waits for.
    public var phase: Phase
    /// Its latest attempt, if there was one.
    public var attempt: Attempt?
    /// The worker that runs it.
    public var worker: Incarnation?
    /// Milliseconds since its event was committed.
    public var age: UInt64
    /// The number of failed attempts.
    public var failures: UInt32
    /// The reason why the last of them failed, in a sentence of up to ``ClientAnswer/maximumReason`` bytes; empty when
    /// none did.
    @Sparse public var reason: String
    /// The time at which it goes on: the end of a pause, or a timer's time.
    public var due: WallTime?
    /// The reason why it does not run now, in a clause such as `no worker serves mail`.
    ///
    /// It has up to ``ClientAnswer/maximumReason`` bytes. It is empty when the effect runs, when its phase says
    /// everything, and from a coordinator of an earlier build.
    @Sparse public var obstacle: String
    /// The name that the supervisor of the worker's process gave it; empty without one.
    @Sparse public var workerName: String
    /// The name of the case of the program's effects, up to 64 bytes; empty when it is not known.
    @Sparse public var name: String

    /// Describes a pending effect.
    public init(
        id: EffectID, kind: PayloadKind, size: UInt32, pool: String?, phase: Phase, attempt: Attempt? = nil,
        worker: Incarnation? = nil, age: UInt64 = 0, failures: UInt32 = 0, reason: String = "", due: WallTime? = nil,
        obstacle: String = "", workerName: String = "", name: String = ""
    ) {
        self.id = id
        loop = id.loop
        (type, typeVersion, contentType) = (kind.type, kind.version, kind.contentType)
        self.size = size
        self.pool = pool
        self.phase = phase
        self.attempt = attempt
        self.worker = worker
        self.age = age
        self.failures = failures
        self.reason = reason.cut(toBytes: ClientAnswer.maximumReason)
        self.due = due
        self.obstacle = obstacle
        self.workerName = workerName
        self.name = name
    }

    /// The kind of its payload.
    public var kind: PayloadKind {
        get { PayloadKind(type: type, version: typeVersion, contentType: contentType) }
        set { (type, typeVersion, contentType) = (newValue.type, newValue.version, newValue.contentType) }
    }

    private enum CodingKeys: String, CodingKey {
        case id, loop, phase, name, obstacle, pool
        case age = "ageMilliseconds"
        case failures, reason, due, attempt, worker, workerName, type, typeVersion, contentType, size
    }
}
