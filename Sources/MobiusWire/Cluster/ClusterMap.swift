/// The shards of a cluster: which loops each has, and where clients reach it, as one process knew them last.
public struct ClusterMap: Hashable, Sendable {
    /// The most shards that a journal has.
    public static let maximumShards = 256

    /// A shard.
    public struct Shard: Hashable, Sendable, Codable {
        /// The slices whose loops it has.
        public var slices: SliceSet
        /// The endpoint at which clients reach it; `nil` while no process is known to run it.
        public var clients: String?

        /// Describes a shard.
        public init(slices: SliceSet, clients: String?) {
            self.slices = slices
            self.clients = clients
        }

        private enum CodingKeys: String, CodingKey {
            case slices
            case clients = "endpoint"
        }
    }

    /// The shards by their numbers, from 0: 1 to ``maximumShards``.
    public let shards: [Shard]

    /// Makes a map; `nil` when there are too few shards or too many.
    public init?(_ shards: [Shard]) {
        guard 1...Self.maximumShards ~= shards.count else { return nil }
        self.shards = shards
    }

    /// The number of the shard that has a loop; that of the first one, when none has.
    public func shard(of loop: LoopID) -> Int {
        let slice = SliceSet.slice(of: loop)
        return shards.firstIndex { $0.slices.contains(slice) } ?? 0
    }
}
