/// A message from a worker to its coordinator.
public enum WorkerMessage: Hashable, Sendable {
    /// HELLO: who I am and what I hold.
    // Apart, like other rare cases in what is handed on all the time: or all cases would be as large.
    indirect case hello(Hello)
    /// CREDIT: so many effects may have been sent to me in this session, all told.
    case credit(total: UInt64)
    /// HEARTBEAT: I live, got so many of your orders, and hold these attempts.
    case heartbeat(creditTotal: UInt64, orders: OrderCount, held: [HeldAttempt])
    /// EVENT: what handlers reported, with the credit that this frees.
    case events(creditTotal: UInt64, [EventReport])
    /// FAIL: what handlers could not do, with the credit that this frees.
    case failures(creditTotal: UInt64, [FailureReport])
    /// DRAINING: I take no more; of what you sent me I hold these, and drop the rest.
    case draining(held: [HeldAttempt])
    /// BYE: I am gone.
    case bye
    /// RECLAIM: I take so many slots back that you have not used; the same number asks for the same once.
    case reclaim(number: UInt32, credits: UInt64)

    /// Its command.
    public var command: Command {
        switch self {
        case .hello: .hello
        case .credit: .credit
        case .heartbeat: .heartbeat
        case .events: .event
        case .failures: .fail
        case .draining: .draining
        case .bye: .bye
        case .reclaim: .reclaim
        }
    }
}

/// A worker's count of the orders of its session: a part of HEARTBEAT.
///
/// One connection keeps the order of its messages, so orders that had been sent and were not received are lost for good.
public struct OrderCount: Hashable, Sendable {
    /// The number of orders that had been sent to it, by its newest EFFECT or PULSE of the session.
    public var sent: UInt64
    /// The number of those that it received, at most ``sent``.
    public var received: UInt64

    /// The number of those that were lost on their way.
    public var lost: UInt64 { sent - received }

    /// Describes the orders of a session; more received than sent is a programmer error.
    public init(sent: UInt64 = 0, received: UInt64 = 0) {
        precondition(received <= sent, "A worker receives at most the orders that were sent to it.")
        self.sent = sent
        self.received = received
    }
}

/// The introduction of a worker.
public struct Hello: Hashable, Sendable {
    /// The largest number of pools that a worker may serve.
    public static let maximumPools = 256
    /// The largest number of codings that it may name.
    public static let maximumContentTypes = 64
    /// The largest number of types of effects that it may name.
    public static let maximumEffectTypes = 256
    /// The largest number of versions of the protocol that it may name.
    public static let maximumVersions = 255

    /// The number of HELLOs that its process has sent, this one included; 0 if it does not count them.
    public var number: UInt32
    /// The versions of the protocol that it speaks.
    public var versions: [UInt8]
    /// The identity of this run of its process.
    public var incarnation: Incarnation
    /// The journal whose effects it holds; `nil` before its first WELCOME.
    public var journal: JournalID?
    /// The pools it serves, at least one.
    public var pools: [String]
    /// The build of its program, for operators.
    public var build: String
    /// The codings it reads, by content type.
    public var contentTypes: [String]
    /// The number of effects that may be sent to it in the session that begins.
    public var creditTotal: UInt64
    /// The attempts that it holds: running, or with reports that were not acknowledged.
    public var held: [HeldAttempt]
    /// The name that its supervisor gave the process, for operators; empty if it has none.
    public var name: String
    /// The shard whose effects it wants; 0 for the only one of most journals.
    public var shard: UInt32
    /// The names of the types of effects for which it has handlers, former names included; empty when it does not say.
    public var effectTypes: [String] = []

    /// Describes a worker.
    public init(
        number: UInt32 = 0, versions: [UInt8] = [Head.version], incarnation: Incarnation, journal: JournalID? = nil,
        pools: [String],
        build: String, contentTypes: [String], creditTotal: UInt64, held: [HeldAttempt] = [], name: String = "",
        shard: UInt32 = 0
    ) {
        self.number = number
        self.versions = versions
        self.incarnation = incarnation
        self.journal = journal
        self.pools = pools
        self.build = build
        self.contentTypes = contentTypes
        self.creditTotal = creditTotal
        self.held = held
        self.name = name
        self.shard = shard
    }
}
