import Synchronization

/// The leases of the cluster that a coordinator has joined, for any thread.
final class JoinedCluster: Sendable {
    private let keeper = Mutex<LeaseKeeper?>(nil)

    /// The keeper of the leases; `nil` before the cluster was joined, and without one.
    var current: LeaseKeeper? { keeper.withLock { $0 } }

    /// The coordinator has joined.
    func join(_ joined: LeaseKeeper) { keeper.withLock { $0 = joined } }
}
