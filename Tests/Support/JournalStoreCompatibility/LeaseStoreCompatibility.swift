public import MobiusJournal
import MobiusWire

/// The suite that every ``LeaseStore`` must pass, and what stands for one in a simulation.
public enum LeaseStoreCompatibility {
    /// Opens a connection to one and the same database, which has one shard that was never taken at the first call.
    public typealias Open = () throws -> any LeaseStore

    /// One promise.
    public struct Check: Sendable, CustomStringConvertible {
        /// The promise in words.
        public let description: String
        private let body: @Sendable (_ ours: any LeaseStore, _ theirs: any LeaseStore) throws -> Void

        init(
            _ description: String, _ body: @escaping @Sendable (any LeaseStore, any LeaseStore) throws -> Void
        ) {
            self.description = description
            self.body = body
        }

        /// Checks a database that is new, over two connections.
        ///
        /// - Throws: ``Incompatibility`` when the promise is broken; what a store throws.
        public func run(open: Open) throws {
            let (ours, theirs) = (try open(), try open())
            defer {
                ours.close()
                theirs.close()
            }
            try body(ours, theirs)
        }
    }

    private static let us = LeaseHolder(process: Incarnation(high: 1, low: 2), name: "us")
    private static let them = LeaseHolder(process: Incarnation(high: 3, low: .max), name: "them \u{e9}")
    /// Long enough that no check outlasts it.
    private static let time = Duration.seconds(600)

    private static func shard(_ store: any LeaseStore) throws -> ShardState {
        let shards = try store.shards()
        try require(shards.map(\.shard), is: [0], "the shards")
        return shards[0]
    }

    /// Acquires the shard as it is now.
    private static func acquire(
        _ store: any LeaseStore, as holder: LeaseHolder, above floor: UInt64 = 0
    ) throws -> UInt64 {
        let seen = try shard(store)
        guard let epoch = try store.acquire(seen, as: holder, for: time, above: floor) else {
            throw Incompatibility(description: "\(holder.name) could not take the shard, though nothing had changed")
        }
        try require(epoch > seen.epoch, is: true, "\(epoch) is above the epoch before, \(seen.epoch)")
        return epoch
    }

    /// Every check.
    public static let checks = [
        Check("a taking begins an epoch and a lease, which everybody sees") { ours, theirs in
            try require(try shard(theirs).lease, is: nil, "the lease before")
            let before = try shard(theirs).change
            let epoch = try acquire(ours, as: us)
            let taken = try shard(theirs)
            try require(taken.epoch, is: epoch, "the epoch")
            try require(taken.lease?.holder, is: us, "the holder")
            try require(taken.lease?.isConnected, is: true, "whether it is connected")
            try require(taken.change > before, is: true, "whether the number of changes grew")
        },
        Check("nothing is taken that has changed since it was seen") { ours, theirs in
            let seen = try shard(theirs)
            let epoch = try acquire(ours, as: us)
            try require(try theirs.acquire(seen, as: them, for: time, above: 0), is: nil, "a taking of what was free")
            let leased = try shard(theirs)
            try require(
                try ours.renew([LeaseRenewal(0, epoch, us)], for: time), is: [.kept], "the outcome of a renewal")
            try require(try theirs.acquire(leased, as: them, for: time, above: 0), is: nil, "a taking after a renewal")
            try require(try shard(theirs).epoch, is: epoch, "the epoch")
        },
        Check("a renewal publishes endpoints, and is lost under another epoch") { ours, theirs in
            let epoch = try acquire(ours, as: us)
            var serving = us
            (serving.workers, serving.clients) = ("tcp://a:1", "tcp://a:2")
            let before = try shard(theirs).change
            try require(try ours.renew([LeaseRenewal(0, epoch, serving)], for: time), is: [.kept], "the outcome")
            try require(try shard(theirs).lease?.holder, is: serving, "the holder")
            try require(try shard(theirs).change > before, is: true, "whether the number of changes grew")
            let later = try acquire(theirs, as: them)
            try require(try ours.renew([LeaseRenewal(0, epoch, us)], for: time), is: [.lost], "the outcome afterwards")
            try require(try shard(ours).lease?.holder, is: them, "the holder afterwards")
            try require(try shard(ours).epoch, is: later, "the epoch afterwards")
        },
        Check("a release ends the lease, and says who may hold effects until the next taking") { ours, theirs in
            let epoch = try acquire(ours, as: us)
            try ours.release(0, epoch: epoch, possibleHolders: [us.process, them.process])
            let released = try shard(theirs)
            try require(released.lease, is: nil, "the lease")
            try require(released.epoch, is: epoch, "the epoch")
            try require(released.possibleHolders, is: [us.process, them.process], "who may hold effects")
            let later = try acquire(theirs, as: them)
            try require(try shard(ours).possibleHolders, is: nil, "who may hold effects, after the next taking")
            try theirs.release(0, epoch: later, possibleHolders: [])
            try require(try shard(ours).possibleHolders, is: [], "that nobody holds effects")
        },
        Check("a release under an earlier epoch changes nothing") { ours, theirs in
            let epoch = try acquire(ours, as: us)
            let later = try acquire(theirs, as: them)
            let before = try shard(ours)
            try ours.release(0, epoch: epoch, possibleHolders: nil)
            let after = try shard(ours)
            try require(after.epoch, is: later, "the epoch")
            try require(after.change, is: before.change, "the number of changes")
            try require(after.lease?.holder, is: them, "the holder")
        },
        Check("a new epoch is above one that somebody has seen") { ours, _ in
            let floor = try acquire(ours, as: us) + 1000
            let epoch = try acquire(ours, as: us, above: floor)
            try require(epoch > floor, is: true, "\(epoch) is above \(floor)")
        },
        Check("processes know each other until they resign") { ours, theirs in
            try require(
                try ours.attend(as: us, isReady: false, for: time).map(\.process), is: [us.process], "one process")
            let both = try theirs.attend(as: them, isReady: true, for: time).sorted { $0.name < $1.name }
            try require(both.map(\.name), is: [them.name, us.name], "both")
            try require(both.map(\.isReady), is: [true, false], "whether they are ready")
            try ours.resign(us.process)
            let left = try theirs.attend(as: them, isReady: true, for: time)
            try require(left.map(\.process), is: [them.process], "the one that is left")
        },
    ]
}
