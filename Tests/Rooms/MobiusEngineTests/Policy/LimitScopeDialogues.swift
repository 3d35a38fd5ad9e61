import MobiusEngine
import MobiusJournal
import MobiusWire
import Testing

/// Limits that hold for all shards of a cluster together, as the machine of one shard sees them.
@Suite struct LimitScopeDialogues {
    private static let two = EffectLimit("two", concurrency: 2, scope: .cluster)
    private static let rate = EffectLimit("rate", rate: .init(4, per: .seconds(4)), scope: .cluster)

    /// A shard of a cluster, whose loop began with so many effects under a limit.
    private static func shard(_ effects: Int, _ limit: EffectLimit, isShared: Bool = true) -> Stage {
        var configuration = CoordinatorConfiguration(journal: .ours, epoch: 1)
        configuration.sharesLimits = isShared
        var stage = Stage(configuration)
        stage.play(.begin(.main, effects: (0..<effects).map { .work("\($0)", .plain(limit: limit)) }))
        return stage
    }

    private static func grant(_ limit: EffectLimit, _ units: Int, isFull: Bool = false) -> CoordinatorInput {
        .share(LimitGrant(LimitKey(limit.name, limit.rate == nil ? .concurrency : .rate), units: units, isFull: isFull))
    }

    private static func demand(
        _ limit: EffectLimit, units: Int = 0, held: Int = 0, wanted: Int, hasBegun: Bool = false
    ) -> LimitDemand {
        LimitDemand(
            LimitKey(limit.name, limit.rate == nil ? .concurrency : .rate),
            total: limit.concurrency ?? limit.rate?.count ?? 0, period: limit.rate?.time ?? .zero, units: units,
            held: held, wanted: wanted, hasBegun: hasBegun)
    }

    @Test func `nothing begins before the shard has units, which it asks for when a worker is there`() {
        var stage = Self.shard(3, Self.two)
        let joined = stage.play(.hello(credit: 9))
        #expect(joined.ordered == [] && joined.demands == [[Self.demand(Self.two, wanted: 2)]])
        let granted = stage.play(Self.grant(Self.two, 1))
        #expect(granted.ordered == ["0"])
        #expect(granted.demands == [[Self.demand(Self.two, units: 1, held: 1, wanted: 2, hasBegun: true)]])
        #expect(stage.play(Self.grant(Self.two, 2)).ordered == ["1"])
        #expect(stage.machine.audit() == [])
    }

    @Test func `units that are taken away are held until what runs has ended`() {
        var stage = Self.shard(3, Self.two)
        stage.play(.hello(credit: 9), Self.grant(Self.two, 2))
        let taken = stage.play(Self.grant(Self.two, 0))
        #expect(taken.demands == [[Self.demand(Self.two, held: 2, wanted: 2, hasBegun: true)]])
        let ended = stage.play(.says(.events(creditTotal: 9, [AttemptID.attempt(0).event()])))
        #expect(ended.ordered == [])
        #expect(ended.demands.last == [Self.demand(Self.two, held: 1, wanted: 2, hasBegun: true)])
        #expect(stage.machine.audit() == [])
    }

    @Test func `effects of a pool without workers want nothing`() {
        var stage = Self.shard(3, Self.two)
        stage.ask(.work("other", pool: "other", .plain(limit: Self.two)), by: "more")
        #expect(stage.play(.hello(pools: ["other"], credit: 9)).demands == [[Self.demand(Self.two, wanted: 1)]])
    }

    @Test func `after a take-over what may run counts, and nothing begins`() throws {
        var stage = Self.shard(2, Self.two)
        stage.play(.hello(credit: 9), Self.grant(Self.two, 2))
        let recovered = try stage.restart()
        #expect(recovered.demands == [[Self.demand(Self.two, held: 2, wanted: 2)]])
        #expect(stage.machine.running(underLimit: "two") == 2)
        #expect(stage.play(Self.grant(Self.two, 2)).ordered == [])
    }

    @Test func `a limit that holds in the shard alone is noted when it is used, and limits nothing else`() {
        func demand(_ name: String, units: Int, wanted: Int) -> LimitDemand {
            LimitDemand(
                LimitKey(name, .perShard), total: ClusterMap.maximumShards, units: units, held: units, wanted: wanted,
                hasBegun: true)
        }
        let policy = EffectPolicy.plain(
            limit: EffectLimit("own", concurrency: 1), perKey: EffectLimit("of a key", concurrency: 1))
        var configuration = CoordinatorConfiguration(journal: .ours, epoch: 1)
        configuration.sharesLimits = true
        var stage = Stage(configuration)
        stage.play(.begin(.main, effects: (0..<2).map { .work("\($0)", policy, key: "k") }))
        let joined = stage.play(.hello(credit: 9))
        #expect(joined.ordered == ["0"])
        #expect(joined.demands.last == [demand("of a key", units: 0, wanted: 1), demand("own", units: 0, wanted: 1)])
        let noted = stage.play(.share(LimitGrant(LimitKey("own", .perShard), units: 1)))
        #expect(noted.demands == [[demand("of a key", units: 0, wanted: 1), demand("own", units: 1, wanted: 0)]])
        #expect(stage.settle(.says(.events(creditTotal: 9, [AttemptID.attempt(0).event()]))).ordered == ["1"])
        #expect(stage.machine.audit() == [])
    }

    @Test func `a shard without such a limit says so once`() {
        var stage = Self.shard(1, EffectLimit("own", concurrency: 1), isShared: false)
        #expect(stage.play(.hello(credit: 9)).ordered == ["0"])
        var other = Self.shard(0, Self.two)
        #expect(other.play().demands == [])
        #expect(Stage(CoordinatorConfiguration(journal: .ours, epoch: 1)).machine.audit() == [])
    }

    @Test func `without a cluster it holds for the coordinator alone`() {
        var stage = Self.shard(3, Self.two, isShared: false)
        let joined = stage.play(.hello(credit: 9))
        #expect(joined.ordered == ["0", "1"] && joined.demands == [])
    }

    @Test func `new units of a rate get their tokens with time, unless they come with them`() {
        var stage = Self.shard(9, Self.rate)
        stage.play(.hello(credit: 20))
        #expect(stage.play(Self.grant(Self.rate, 2, isFull: true)).ordered == ["0", "1"])
        // A token each 2 s; with 4 units, one each second.
        #expect(stage.play(Self.grant(Self.rate, 4)).ordered == [])
        #expect(stage.wait(.milliseconds(500), alive: [.ann]).ordered == [])
        #expect(stage.wait(.milliseconds(500), alive: [.ann]).ordered == ["2"])
        #expect(stage.wait(.seconds(1), alive: [.ann]).ordered == ["3"])
    }

    @Test func `a rate's bucket that shrinks keeps what fits, and loses the rest`() {
        var stage = Self.shard(0, Self.rate)
        stage.play(.hello(credit: 20))
        stage.ask(.work("a", .plain(limit: Self.rate)), by: "first")
        #expect(stage.play(Self.grant(Self.rate, 4, isFull: true)).ordered == ["a"])
        // Three tokens are left.
        stage.play(Self.grant(Self.rate, 1))
        stage.play(Self.grant(Self.rate, 4))
        let more = stage.ask(
            .work("b", .plain(limit: Self.rate)), .work("c", .plain(limit: Self.rate)), by: "second")
        #expect(more.ordered == ["b"])
        #expect(stage.play(Self.grant(Self.rate, 0)).ordered == [])
        #expect(stage.wait(.seconds(9), alive: [.ann]).ordered == [])
        #expect(stage.machine.audit() == [])
    }

    @Test func `a limit per key has no cluster's scope`() async {
        await #expect(processExitsWith: .failure) {
            _ = EffectPolicy(limitPerKey: EffectLimit("key", concurrency: 1, scope: .cluster))
        }
        await #expect(processExitsWith: .failure) {
            var policy = EffectPolicy()
            policy.limitPerKey = EffectLimit("key", concurrency: 1, scope: .cluster)
        }
    }

    @Test func `an effect says what it waits for`() {
        var stage = Self.shard(2, Self.two)
        stage.play(.hello(credit: 9))
        let summary = stage.machine.effect(.effect(0), at: stage.now)?.summary
        #expect(summary?.obstacle == "limit two: this shard has no share of it now")
    }
}

extension [CoordinatorAction] {
    /// What was said of the cluster's limits.
    fileprivate var demands: [[LimitDemand]] {
        compactMap { if case .demand(let demands) = $0 { demands } else { nil } }
    }
}
