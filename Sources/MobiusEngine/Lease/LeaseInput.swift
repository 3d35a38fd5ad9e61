public import MobiusJournal
public import MobiusWire

/// A call of a `LeaseStore` that a ``LeaseMachine`` wants made.
public enum LeaseStep: Equatable, Sendable {
    /// Open the store.
    case connect
    /// Read all shards.
    case read
    /// Tell the other processes of this one, and learn who they are; one that is not ready gets no more shards.
    case attend(LeaseHolder, isReady: Bool)
    /// Tell the others that this process takes no more shards.
    case resign(Incarnation)
    /// Take a shard over, under an epoch above one that somebody has seen.
    case acquire(ShardState, LeaseHolder, above: UInt64 = 0)
    /// Renew these leases, all at once; the most urgent ones come first.
    case renew([LeaseRenewal])
    /// Release the lease of a shard under this epoch; `possibleHolders` are the workers that hold its effects, as far as is known.
    case release(UInt32, UInt64, possibleHolders: [Incarnation]? = nil)
    /// Read the shares of all limits, within so long.
    case readShares(within: Duration)
    /// Make these claims of a shard under this epoch, within so long.
    case claimShares(UInt32, UInt64, [LimitClaim], within: Duration)
    /// Wait until then, until a lease is released, or until there is an input.
    case wait(until: Moment)
    /// Nothing is held any more after ``LeaseInput/leave``: close the store if it is open, and make no more calls.
    case leave
}

/// An input of a ``LeaseMachine``: what came of a call, or what its owner wants.
///
/// `asked` is the moment before the call was made, from which the answer's trust counts.
public enum LeaseInput: Equatable, Sendable {
    /// The store is open.
    case connected
    /// A call failed, so the store is closed; what the call was to do may have happened.
    case failed
    /// A wait ended early, perhaps because a lease was released: the shards are read at once, not at the next poll.
    case woken
    /// The shards were read.
    case read([ShardState])
    /// The others know of this process; these are all, with this one.
    case attended([ClusterMember])
    /// The others know that this process takes no more shards.
    case resigned
    /// A shard was taken under an epoch, or not, or that is not known.
    case acquired(ShardState, epoch: UInt64?, asked: Moment)
    /// The outcome of renewing the lease of a shard under this epoch.
    case renewed(UInt32, epoch: UInt64, LeaseOutcome, asked: Moment)
    /// The lease of a shard under this epoch was released.
    case released(UInt32, epoch: UInt64)
    /// A shard that was taken under this epoch is served at these endpoints.
    case serves(UInt32, epoch: UInt64, workers: String, clients: String)
    /// The work of a shard has ended by itself, as after a failure of its journal, or because it was asked to.
    ///
    /// `possibleHolders` are the workers that hold its effects, when no others do.
    case ended(UInt32, epoch: UInt64, isFailure: Bool, possibleHolders: [Incarnation]? = nil)
    /// The work of a shard has ended because it seems that no process can run it, as when its rows are damaged.
    case unfit(UInt32, epoch: UInt64)
    /// A worker has seen an epoch of the shard above this one, which the database lost in a failover.
    case outranked(UInt32, epoch: UInt64, by: UInt64)
    /// The demands of the machine of a shard under this epoch for the cluster's limits.
    case demanded(UInt32, epoch: UInt64, [LimitDemand])
    /// The shares of all limits were read.
    case readShares([LimitShare])
    /// The outcomes of the claims of a shard under this epoch.
    case claimedShares(UInt32, epoch: UInt64, [LimitOutcome])
    /// Whether the endpoint of a ``LeaseAction/probe(_:endpoint:)`` refuses connections.
    case probed(UInt64, isRefused: Bool)
    /// Take no more shards, and finish when the held ones have ended.
    case leave
}

/// An action that a ``LeaseMachine`` requests beside those on the database.
public enum LeaseAction: Equatable, Sendable {
    /// Run the shard under this epoch, and act by its lease until then.
    case start(UInt32, epoch: UInt64, until: Moment)
    /// The shard's work may act until then.
    case trust(UInt32, until: Moment)
    /// Another process should have the shard: end its work in order, as when the process stops.
    case handOver(UInt32, epoch: UInt64)
    /// The shard is another's: end its work at once, which may tell nobody anything any more.
    case lost(UInt32, epoch: UInt64)
    /// Tell the machine of the shard under this epoch by how many units of a limit it goes from now on.
    case share(UInt32, epoch: UInt64, LimitGrant)
    /// Find out whether this endpoint refuses connections, and hand in ``LeaseInput/probed(_:isRefused:)`` with this number,
    /// which is another one for each probe.
    case probe(UInt64, endpoint: String)
}
