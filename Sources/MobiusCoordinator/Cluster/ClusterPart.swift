import MobiusDriver

/// One of several shards, as the coordinator that runs it needs to know it.
struct ClusterPart {
    /// The number of shards.
    let shards: UInt32
    /// The loops that this shard has.
    let shardSlices: ShardSlices
    /// Takes events to loops of the others.
    let crossShardSender: ClusterSender
}
