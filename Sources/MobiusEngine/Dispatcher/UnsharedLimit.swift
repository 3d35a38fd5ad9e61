import MobiusJournal
import MobiusWire

/// A limit that holds in a shard by itself, and what the database knows of that: one unit of as many as there may be shards.
struct UnsharedLimit: Equatable, Sendable {
    var units = 0
    var isNoted = false

    /// Asks for the unit, until the shard has had it.
    func demand(_ name: String) -> LimitDemand {
        LimitDemand(
            LimitKey(name, .perShard), total: ClusterMap.maximumShards, units: units, held: units,
            wanted: isNoted ? 0 : 1, hasBegun: true)
    }
}
