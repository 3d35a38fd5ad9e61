public import MobiusWire

/// The right to run a shard of a journal in a database, which one process at a time holds for some seconds.
///
/// It is apart from the fence (``JournalStore/epoch``), which decides alone who may write: a lease says when others may
/// take the shard over, and until when its holder may tell anyone anything.
public struct Lease: Hashable, Sendable {
    /// The holder of the lease.
    public var holder: LeaseHolder
    /// The time that it lasts from now on; not positive when it has ended.
    ///
    /// A ``LeaseStore`` says it by the database's clock, which may be set: only people go by that. A process that stands by
    /// times a lease by a clock of its own.
    public var remaining: Duration
    /// Whether the database still has the connection on which its holder renews it.
    ///
    /// Without that the holder's process may have died; it may also have lost its connection only.
    public var isConnected: Bool

    /// Describes a lease.
    public init(holder: LeaseHolder, remaining: Duration, isConnected: Bool) {
        self.holder = holder
        self.remaining = remaining
        self.isConnected = isConnected
    }
}

/// A process that holds leases, and where others reach what it runs.
public struct LeaseHolder: Hashable, Sendable {
    /// This run of the process.
    public var process: Incarnation
    /// The process for people, such as its host and pid.
    public var name: String
    /// The endpoint at which workers reach the shard; empty until it is served.
    public var workers: String
    /// The endpoint at which clients reach the shard; empty until it is served, or when it serves none.
    public var clients: String

    /// Names a process.
    public init(process: Incarnation, name: String, workers: String = "", clients: String = "") {
        self.process = process
        self.name = name
        self.workers = workers
        self.clients = clients
    }
}

/// A process of a cluster, as the others know it.
public struct ClusterMember: Hashable, Sendable {
    /// This run of the process.
    public var process: Incarnation
    /// The process for people, such as its host and pid.
    public var name: String
    /// Whether it may get more shards, as far as its own work tells.
    public var isReady: Bool
    /// Whether an operator wants it to hand over all that it has.
    public var isDraining: Bool
    /// Whether it gets only the shards that are wanted for it, as a tool does that changes a shard.
    public var isGuest: Bool

    /// Describes a process.
    public init(process: Incarnation, name: String, isReady: Bool, isDraining: Bool = false, isGuest: Bool = false) {
        self.process = process
        self.name = name
        self.isReady = isReady
        self.isDraining = isDraining
        self.isGuest = isGuest
    }
}

/// The state of a shard in the database.
public struct ShardState: Hashable, Sendable {
    /// The shard's number, from 0.
    public var shard: UInt32
    /// Its newest epoch; 0 before the first.
    public var epoch: UInt64
    /// A number that changes with each taking, renewal and release of its lease.
    public var change: UInt64
    /// Its lease; `nil` when it was released, or was never taken.
    public var lease: Lease?
    /// The slices whose loops it has.
    public var slices: SliceSet
    /// The process that an operator wants to run it, if any.
    public var wanted: Incarnation?
    /// The workers that held effects of the shard when it was released; `nil` when nobody knows, and while it has a lease.
    public var possibleHolders: [Incarnation]?
    /// Whether its rows are missing or not what was written: then no process takes it, and the other shards go on.
    public var isDamaged: Bool

    /// Describes a shard.
    public init(
        shard: UInt32, epoch: UInt64, change: UInt64, lease: Lease?, slices: SliceSet = .all,
        wanted: Incarnation? = nil, possibleHolders: [Incarnation]? = nil, isDamaged: Bool = false
    ) {
        self.shard = shard
        self.epoch = epoch
        self.change = change
        self.lease = lease
        self.slices = slices
        self.wanted = wanted
        self.possibleHolders = possibleHolders
        self.isDamaged = isDamaged
    }
}

/// A lease that its holder renews.
public struct LeaseRenewal: Hashable, Sendable {
    /// The shard.
    public var shard: UInt32
    /// The epoch under which the holder took it.
    public var epoch: UInt64
    /// The holder, with the endpoints that others learn by this renewal.
    public var holder: LeaseHolder

    /// Describes a renewal.
    public init(_ shard: UInt32, _ epoch: UInt64, _ holder: LeaseHolder) {
        self.shard = shard
        self.epoch = epoch
        self.holder = holder
    }
}

/// The outcome of a renewal.
public enum LeaseOutcome: Hashable, Sendable {
    /// The lease lasts longer.
    case kept
    /// Another epoch has begun: the shard is another's, and nothing was changed.
    case lost
    /// Another transaction had the row, or there is none; nothing was changed, and it is not known whose the shard is.
    case delayed
}

/// The leases of a database's shards, over a connection of their own.
///
/// Calls come from one thread at a time, and block it. Each waits for its answer for `patience` of the opener's request at
/// most. After an error other than `held` the store must not be used again: its owner opens another.
public protocol LeaseStore: AnyObject, Sendable {
    /// The shards with their leases, in the order of their numbers.
    func shards() throws(JournalError) -> [ShardState]

    /// Takes a shard over in one transaction, unless anything has changed since it was `seen`: begins its next epoch, so that
    /// no commit of an earlier one can succeed, and the holder's lease.
    ///
    /// Whether the shard may be taken is the caller's decision. A transaction of the earlier writer that holds the fence, such
    /// as that of a lost host, is ended together with its connection after a second.
    ///
    /// - Parameters:
    ///   - seen: The shard as it was read.
    ///   - holder: The holder that takes it.
    ///   - time: The time that the lease lasts.
    ///   - floor: The new epoch is greater than this one, because somebody has seen it.
    /// - Returns: the new epoch; `nil` when another process was faster, or the lease was renewed since.
    /// - Throws: ``JournalError``: `held` when a transaction of the earlier writer does not end, after which the store can
    ///   be used on.
    func acquire(
        _ seen: ShardState, as holder: LeaseHolder, for time: Duration, above floor: UInt64
    ) throws(JournalError) -> UInt64?

    /// Renews leases in one transaction, and publishes the endpoints of their holders.
    ///
    /// It waits for nobody who changes one of them.
    ///
    /// - Returns: what came of each, in their order.
    func renew(_ leases: [LeaseRenewal], for time: Duration) throws(JournalError) -> [LeaseOutcome]

    /// Ends a lease, and wakes those that wait; does nothing when the epoch is not the newest any more.
    ///
    /// - Parameters:
    ///   - shard: The shard whose lease it is.
    ///   - epoch: The lease's.
    ///   - possibleHolders: The workers that hold effects of the shard; `nil` when that is not known.
    func release(_ shard: UInt32, epoch: UInt64, possibleHolders: [Incarnation]?) throws(JournalError)

    /// Tells the other processes of this one for so long from now on, by the database's clock.
    ///
    /// - Returns: all processes of which that can be said now, this one among them.
    func attend(as holder: LeaseHolder, isReady: Bool, for time: Duration) throws(JournalError) -> [ClusterMember]

    /// Ends what ``attend(as:isReady:for:)`` said, so that the others count without this process.
    func resign(_ process: Incarnation) throws(JournalError)

    /// The shares of all limits of all shards, in no order.
    ///
    /// - Parameter time: The longest that the call may take, if that is less than `patience`.
    func limitShares(within time: Duration) throws(JournalError) -> [LimitShare]

    /// Changes the shares of one shard, all in one transaction that takes no effect after the shard's epoch has ended.
    ///
    /// A share grows only while the sum of all shards' shares does not exceed the claim's total then.
    ///
    /// - Parameters:
    ///   - claims: The claims of the shard, at most one for each limit.
    ///   - shard: The shard.
    ///   - epoch: Its epoch.
    ///   - time: The longest that the call may take, if that is less than `patience`.
    /// - Returns: what came of each claim, in their order.
    func claim(
        _ claims: [LimitClaim], for shard: UInt32, epoch: UInt64, within time: Duration
    ) throws(JournalError) -> [LimitOutcome]

    /// Waits until a lease is released, or `time` has passed.
    ///
    /// - Returns: whether a lease was released.
    /// - Throws: ``JournalError`` as soon as the connection is known to be lost.
    func wait(for time: Duration) throws(JournalError) -> Bool

    /// Ends a `wait(for:)` that another thread is in, or the next one; the only call that other threads may make.
    func wake()

    /// Closes the connection; leases that were not released last until they end.
    func close()
}
