import MobiusDriver

/// One of several shards, as the coordinator that runs it needs to know it.
struct ClusterPart {
    /// The number of shards.
    let shards: UInt32
    /// The territory: the loops that this shard has.
    let territory: Territory
    /// Takes events to loops of the others.
    let courier: ClusterCourier
}
