package import MobiusWire

/// The part of a cluster's loops that a coordinator has: those of its shard.
package struct ShardSlices: Sendable {
    private let slices: SliceSet
    private let map: @Sendable () -> ClusterMap?

    /// Describes a shard.
    ///
    /// - Parameter map: The shards as they are known now; called for each request that is for another one.
    package init(_ slices: SliceSet, map: @escaping @Sendable () -> ClusterMap?) {
        self.slices = slices
        self.map = map
    }

    /// Whether it has a loop.
    package func contains(_ loop: LoopID) -> Bool { slices.contains(loop) }

    /// Returns the answer to a request that this shard cannot answer alone; `nil` for other requests.
    ///
    /// These are requests for a loop of another shard, and those about all loops of a client that does not know all
    /// shards.
    func elsewhere(_ request: ClientRequest, knowing shards: UInt32) -> ClientAnswer? {
        if let loop = request.loop {
            return contains(loop) ? nil : .moved(endpoint: nil, map: map())
        }
        guard request.isAboutAllLoops, let map = map(), shards < map.shards.count else { return nil }
        return .moved(endpoint: nil, map: map)
    }
}
