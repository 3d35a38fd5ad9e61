import MobiusEngine
import MobiusJournal
import MobiusWire

/// A machine with a clock, whose lease lasts 4 s: renewed every second, trusted for 3 s, polled every 250 ms.
struct LeaseBench {
    static let own = LeaseHolder(process: Incarnation(high: 1, low: 1), name: "own")
    static let other = LeaseHolder(process: Incarnation(high: 2, low: 2), name: "other", workers: "tcp://other:1")

    var machine = LeaseMachine(own)
    /// Milliseconds since the start.
    var now: Int64 = 0

    static func at(_ milliseconds: Int64) -> Moment { Moment(nanoseconds: milliseconds * 1_000_000) }

    /// What the database says of a shard without a lease.
    static func free(_ shard: UInt32 = 0, epoch: UInt64 = 0, change: UInt64 = 1) -> ShardState {
        ShardState(shard: shard, epoch: epoch, change: change, lease: nil)
    }

    /// What the database says of a shard with a lease.
    static func leased(
        _ shard: UInt32 = 0, to holder: LeaseHolder = other, epoch: UInt64 = 5, change: UInt64 = 1,
        remaining: Duration = .seconds(4), isConnected: Bool = true
    ) -> ShardState {
        ShardState(
            shard: shard, epoch: epoch, change: change,
            lease: Lease(holder: holder, remaining: remaining, isConnected: isConnected))
    }

    /// A step that renews one lease.
    static func renew(_ shard: UInt32, _ epoch: UInt64, _ holder: LeaseHolder) -> LeaseStep {
        .renew([LeaseRenewal(shard, epoch, holder)])
    }

    var next: LeaseStep { machine.next(at: Self.at(now)) }

    @discardableResult
    mutating func tell(_ input: LeaseInput) -> [LeaseAction] { machine.handle(input, at: Self.at(now)) }

    /// Tells the others of it, and it of nobody else.
    mutating func attend() { tell(.attended([Self.member(Self.own)])) }

    /// A process as the others know it.
    static func member(_ holder: LeaseHolder, isReady: Bool = true, isDraining: Bool = false) -> ClusterMember {
        ClusterMember(process: holder.process, name: holder.name, isReady: isReady, isDraining: isDraining)
    }

    /// A machine that is connected, has read these shards, and knows only itself.
    static func reading(_ shards: [ShardState]) -> LeaseBench {
        var bench = LeaseBench()
        bench.tell(.connected)
        if shards.count > 1 { bench.tell(.attended([member(own)])) }
        bench.tell(.read(shards))
        return bench
    }

    /// A machine that took shard 0 at 0 ms under epoch 7, serves it, and has read that.
    static func holding() -> LeaseBench {
        var bench = reading([free()])
        bench.tell(.acquired(free(), epoch: 7, asked: at(0)))
        bench.tell(.read([leased(to: own, epoch: 7, change: 2, remaining: .seconds(4))]))
        return bench
    }

    /// The own holder as it publishes endpoints.
    static func own(workers: String, clients: String = "") -> LeaseHolder {
        LeaseHolder(process: own.process, name: own.name, workers: workers, clients: clients)
    }
}
