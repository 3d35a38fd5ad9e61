/// A message from a coordinator to a worker.
public enum CoordinatorMessage: Hashable, Sendable {
    /// WELCOME: you are admitted; the session's number is in the head.
    // Apart: or all cases would be as large.
    indirect case welcome(Welcome)
    /// The beginning of the reason of a REJECT when the worker's key lacks the right to what it wants.
    public static let forbidden = "forbidden: "

    /// REJECT: you are not admitted, for this reason.
    case reject(String)
    /// EFFECT: run these; before them so many orders were sent in this session.
    case effects(after: UInt64, [EffectOrder])
    /// ACK: these reports cannot be lost any more; forget them.
    case ack([ReportID])
    /// STALE: these attempts are no longer wanted; cancel and forget them.
    case stale([AttemptID])
    /// CANCEL: stop these, and report as usual.
    case cancel([AttemptID])
    /// PULSE: I live, and have sent so many orders in this session.
    case pulse(sent: UInt64)
    /// DRAIN: finish and leave, or keep what you hold and wait for my return.
    case drain(Drain)
    /// RESYNC: I do not know your session, which the head names; say HELLO.
    case resync
    /// MOVED: the loops do not run here, but at this endpoint or nowhere at the moment.
    indirect case moved(Moved)
    /// WANTED: so many effects wait here for a slot of yours; 0 for none any more.
    case wanted(UInt32)
    /// RECLAIMED: the answer to a RECLAIM; so many slots are yours again, all told in this session.
    case reclaimed(number: UInt32, total: UInt64)

    /// Its command.
    public var command: Command {
        switch self {
        case .welcome: .welcome
        case .reject: .reject
        case .effects: .effect
        case .ack: .ack
        case .stale: .stale
        case .cancel: .cancel
        case .pulse: .pulse
        case .drain: .drain
        case .resync: .resync
        case .moved: .moved
        case .wanted: .wanted
        case .reclaimed: .reclaimed
        }
    }
}

/// The reasons why a worker is told to expect no more effects.
public enum Drain: UInt8, Sendable {
    /// The worker must finish what it holds and exit.
    case leave = 0
    /// The coordinator stops and will come back: keep running, keep reports, connect again.
    case wait = 1
}

/// The terms of an admitted worker's session.
public struct Welcome: Hashable, Sendable {
    /// The number of the HELLO that it answers; 0 when that had none.
    public var hello: UInt32
    /// The version of the protocol for this session.
    public var version: UInt8
    /// The journal whose effects it will get.
    public var journal: JournalID
    /// The interval at which both sides send signs of life, in milliseconds.
    public var heartbeat: UInt32
    /// The time of silence after which the worker must connect anew, in milliseconds.
    public var silence: UInt32
    /// The largest payload, in bytes.
    public var maximumPayload: UInt32
    /// Whether the coordinator takes trace contexts in reports.
    public var takesTraces: Bool
    /// The number of shards of the cluster: 1 to ``ClusterMap/maximumShards``.
    public var shards: UInt32

    /// The longest frame that either side may send, in bytes: one largest payload and what goes with it.
    public var maximumFrame: Int { Int(maximumPayload) + 65_536 }

    /// Describes a session's terms.
    public init(
        hello: UInt32 = 0, version: UInt8, journal: JournalID, heartbeat: UInt32, silence: UInt32,
        maximumPayload: UInt32, takesTraces: Bool = false, shards: UInt32 = 1
    ) {
        self.hello = hello
        self.version = version
        self.journal = journal
        self.heartbeat = heartbeat
        self.silence = silence
        self.maximumPayload = maximumPayload
        self.takesTraces = takesTraces
        self.shards = shards
    }
}
