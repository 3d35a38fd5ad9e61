import MobiusEngine
import Testing

/// How many units of a limit a shard should have.
@Suite struct LimitSharesTests {
    private typealias Stake = LimitShares.Stake

    /// Shards that have so many units, want so many, and have had them for so many seconds.
    private static func stakes(_ shards: (units: Int, wanted: Int, age: Int)...) -> [Stake] {
        shards.enumerated().map { number, shard in
            Stake(shard: UInt32(number), units: shard.units, wanted: shard.wanted, age: .seconds(shard.age))
        }
    }

    /// What each of them decides.
    private static func decide(_ total: Int, _ stakes: [Stake]) -> [Int] {
        stakes.indices.map { place in
            var others = stakes
            return LimitShares.units(for: others.remove(at: place), beside: others, of: total)
        }
    }

    @Test func `one shard alone has what it could use, and keeps what it does not use`() {
        #expect(Self.decide(5, Self.stakes((0, 3, 0))) == [3])
        #expect(Self.decide(5, Self.stakes((0, 9, 0))) == [5])
        #expect(Self.decide(5, Self.stakes((5, 0, 0))) == [5])
    }

    @Test func `units that nobody uses go to who lacks them, and no more of them than that`() {
        #expect(Self.decide(5, Self.stakes((5, 0, 0), (0, 2, 0))) == [3, 0])
        #expect(Self.decide(5, Self.stakes((3, 0, 0), (0, 2, 0))) == [3, 2])
        #expect(Self.decide(5, Self.stakes((4, 1, 0), (1, 9, 0))) == [1, 1])
    }

    @Test func `shares are fair by what each could use`() {
        #expect(Self.decide(12, Self.stakes((12, 20, 0), (0, 20, 0), (0, 2, 0))) == [5, 0, 0])
        #expect(Self.decide(12, Self.stakes((5, 20, 0), (0, 20, 0), (0, 2, 0))) == [5, 5, 2])
    }

    @Test func `of the last units those that have one keep it, so that nothing moves for ever`() {
        #expect(Self.decide(10, Self.stakes((3, 9, 0), (4, 9, 0), (3, 9, 0))) == [3, 4, 3])
        #expect(Self.decide(10, Self.stakes((4, 9, 0), (4, 9, 0), (2, 9, 0))) == [4, 3, 2])
    }

    @Test func `a total that has shrunk takes from all, down to what is fair`() {
        #expect(Self.decide(4, Self.stakes((6, 9, 0), (2, 9, 0), (2, 0, 0))) == [2, 2, 0])
    }

    @Test func `one that has had its turn gives its only unit to the one that has waited longest`() {
        var stakes = Self.stakes((1, 9, 3), (0, 9, 5), (0, 9, 7))
        #expect(Self.decide(1, stakes) == [1, 0, 0])
        stakes[0].hasHadTurn = true
        #expect(Self.decide(1, stakes) == [0, 0, 0])
        #expect(Self.decide(1, Self.stakes((0, 9, 0), (0, 9, 5), (0, 9, 7))) == [0, 0, 1])
        // Nobody needs it.
        stakes = Self.stakes((1, 9, 3), (0, 0, 5))
        stakes[0].hasHadTurn = true
        #expect(Self.decide(1, stakes) == [1, 0])
    }

    @Test func `decisions one after the other lead to fair shares, and stay there`() {
        var random = SplitMix64(seed: 1)
        for _ in 0..<2000 {
            let (count, total) = (Int.random(in: 1...8, using: &random), Int.random(in: 1...30, using: &random))
            var left = total
            var stakes = (0..<count).map { shard in
                let units = Int.random(in: 0...left, using: &random)
                left -= units
                return Stake(
                    shard: UInt32(shard), units: units, wanted: Int.random(in: 0...total, using: &random), age: .zero)
            }
            for _ in 0..<3 {
                for place in stakes.indices.shuffled(using: &random) {
                    stakes[place].units = Self.decide(total, stakes)[place]
                    #expect(stakes.reduce(0) { $0 + $1.units } <= total)
                }
            }
            let level = stakes.filter { $0.units < $0.wanted }.map(\.units).min() ?? .max
            // Nobody lacks one while another has more than one more, or while one is free.
            #expect(stakes.allSatisfy { $0.units <= max(level, level &+ 1) }, "\(total): \(stakes)")
            if level != .max { #expect(stakes.reduce(0) { $0 + $1.units } == total, "\(total): \(stakes)") }
            #expect(Self.decide(total, stakes) == stakes.map(\.units), "\(total): \(stakes)")
        }
    }
}
