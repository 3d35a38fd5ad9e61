/// A pending effect, as a coordinator shows it to operators.
public struct EffectSummary: Hashable, Sendable {
    /// What a pending effect waits for; more may come, so match with a default.
    public struct Phase: RawRepresentable, Hashable, Sendable {
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

    /// Which effect.
    public var id: EffectID
    /// What its payload is.
    public var kind: PayloadKind
    /// The bytes of its payload.
    public var size: UInt32
    /// The pool that it goes to; `nil` for what the coordinator does itself.
    public var pool: String?
    /// What it waits for.
    public var phase: Phase
    /// Its latest attempt, if there was one.
    public var attempt: Attempt?
    /// The worker that runs it.
    public var worker: Incarnation?
    /// Milliseconds since its event was committed.
    public var age: UInt64
    /// How many attempts failed.
    public var failures: UInt32
    /// Why the last of them failed, in a sentence of up to ``ClientAnswer/maximumReason`` bytes; empty when none did.
    public var reason: String
    /// When it goes on: the end of a pause, or a timer's time.
    public var due: WallTime?
    /// Why it does not run now, in a clause such as `no worker serves mail`, of up to ``ClientAnswer/maximumReason`` bytes;
    /// empty when it runs, when its phase says everything, and from a coordinator of an earlier build.
    public var obstacle: String
    /// The name that the supervisor of the worker's process gave it; empty without one.
    public var workerName: String
    /// The name of the case of the program's effects, up to 64 bytes; empty when it is not known.
    public var name: String

    /// Describes a pending effect.
    public init(
        id: EffectID, kind: PayloadKind, size: UInt32, pool: String?, phase: Phase, attempt: Attempt? = nil,
        worker: Incarnation? = nil, age: UInt64 = 0, failures: UInt32 = 0, reason: String = "", due: WallTime? = nil,
        obstacle: String = "", workerName: String = "", name: String = ""
    ) {
        self.id = id
        self.kind = kind
        self.size = size
        self.pool = pool
        self.phase = phase
        self.attempt = attempt
        self.worker = worker
        self.age = age
        self.failures = failures
        self.reason = reason
        self.due = due
        self.obstacle = obstacle
        self.workerName = workerName
        self.name = name
    }
}

extension EffectSummary {
    private enum Tag {
        static let id: UInt8 = 1
        static let kind: UInt8 = 2
        static let size: UInt8 = 3
        static let pool: UInt8 = 4
        static let phase: UInt8 = 5
        static let attempt: UInt8 = 6
        static let worker: UInt8 = 7
        static let age: UInt8 = 8
        static let failures: UInt8 = 9
        static let reason: UInt8 = 10
        static let due: UInt8 = 11
        static let obstacle: UInt8 = 12
        static let workerName: UInt8 = 13
        static let name: UInt8 = 14
    }

    func write(to writer: inout ByteWriter) {
        writer.field(Tag.id) { id.write(to: &$0) }
        writer.field(Tag.kind) { kind.write(to: &$0) }
        writer.field(Tag.size) { $0.uint32(size) }
        if let pool { writer.field(Tag.pool) { $0.shortString(pool) } }
        writer.field(Tag.phase) { $0.shortString(phase.rawValue) }
        if let attempt {
            writer.field(Tag.attempt) {
                $0.uint64(attempt.epoch)
                $0.uint32(attempt.number)
            }
        }
        if let worker { writer.field(Tag.worker) { $0.randomID(worker) } }
        writer.field(Tag.age) { $0.uint64(age) }
        if failures > 0 { writer.field(Tag.failures) { $0.uint32(failures) } }
        if !reason.isEmpty { writer.field(Tag.reason) { $0.reason(reason) } }
        if let due { writer.field(Tag.due) { $0.wallTime(due) } }
        if !obstacle.isEmpty { writer.field(Tag.obstacle) { $0.reason(obstacle) } }
        if !workerName.isEmpty { writer.field(Tag.workerName) { $0.shortString(workerName) } }
        if !name.isEmpty { writer.field(Tag.name) { $0.shortString(name) } }
    }

    init(from reader: inout WireReader) throws(WireError) {
        var id: EffectID?
        var kind: PayloadKind?
        var phase: String?
        var status = Self(
            id: EffectID(loop: .main, sequence: 0, index: 0), kind: PayloadKind(type: ""), size: 0, pool: nil,
            phase: .waiting)
        try reader.fields { (tag, value) throws(WireError) in
            switch tag {
            case Tag.id: id = try EffectID(from: &value)
            case Tag.kind: kind = try PayloadKind(from: &value)
            case Tag.size: status.size = try value.uint32("size")
            case Tag.pool: status.pool = try value.shortString("pool")
            case Tag.phase: phase = try value.shortString("phase")
            case Tag.attempt:
                status.attempt = Attempt(
                    epoch: try value.uint64("epoch of attempt"), number: try value.uint32("attempt"))
            case Tag.worker: status.worker = try value.randomID("worker")
            case Tag.age: status.age = try value.uint64("age")
            case Tag.failures: status.failures = try value.uint32("failures")
            case Tag.reason: status.reason = try value.reason("reason")
            case Tag.due: status.due = try value.wallTime("due")
            case Tag.obstacle: status.obstacle = try value.reason("obstacle")
            case Tag.workerName: status.workerName = try value.shortString("worker name")
            case Tag.name: status.name = try value.shortString("name")
            default: return false
            }
            return true
        }
        status.id = try required(id, "effect")
        status.kind = try required(kind, "kind")
        status.phase = Phase(rawValue: try required(phase, "phase"))
        self = status
    }
}
