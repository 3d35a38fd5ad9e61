import Synchronization

/// The leases of the cluster that a coordinator has joined, for any thread.
final class JoinedCluster: Sendable {
    private let keeper = Mutex<LeaseKeeper?>(nil)

    /// What keeps them; `nil` before that, and without a cluster.
    var current: LeaseKeeper? { keeper.withLock { $0 } }

    /// The coordinator has joined.
    func join(_ joined: LeaseKeeper) { keeper.withLock { $0 = joined } }
}
