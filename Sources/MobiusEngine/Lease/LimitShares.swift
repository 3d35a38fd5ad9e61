/// The number of units of a limit that a shard of a cluster should have, by the shares of all.
///
/// Shares are max-min fair by what each shard could use: nobody gets more than it could use, and nobody gets less than
/// another that has one unit more, unless it could not use more. Each shard decides about its own share only. One that has more
/// than is fair keeps it until others lack it. When there are fewer units than shards that want one, shards take turns.
///
/// Source: D. Bertsekas and R. Gallager, "Data Networks", 1992, section 6.5.2 (max-min fairness).
package enum LimitShares {
    /// The values of one shard that count.
    package struct Stake: Equatable, Sendable {
        /// The shard's number.
        package var shard: UInt32
        /// The units that it has.
        package var units: Int
        /// The units that it could use.
        package var wanted: Int
        /// The time for which it has had as many units.
        package var age: Duration
        /// Whether it has had its turn; known of the own shard only.
        package var hasHadTurn: Bool

        package init(shard: UInt32, units: Int, wanted: Int, age: Duration, hasHadTurn: Bool = false) {
            self.shard = shard
            self.units = units
            self.wanted = wanted
            self.age = age
            self.hasHadTurn = hasHadTurn
        }
    }

    /// The units that a shard should have next, of so many of all shards together.
    ///
    /// More than it has only as far as units are free, fewer only as far as others lack them.
    package static func units(for own: Stake, beside others: [Stake], of total: Int) -> Int {
        let all = [own] + others
        let level = level(all.map(\.wanted), total)
        var fair = all.map { min($0.wanted, level) }
        // What is left is less than one for each that wants more.
        let rest = max(0, total - fair.reduce(0, +))
        let line = all.indices.filter { all[$0].wanted > level }.sorted { first, second in
            isBefore(all[first], all[second], level)
        }
        for place in line.prefix(rest) { fair[place] += 1 }
        let free = total - all.reduce(0) { $0 + $1.units }
        if own.units < fair[0] { return min(fair[0], own.units + max(0, free)) }
        let lacking = all.indices.dropFirst().reduce(0) { $0 + max(0, fair[$1] - all[$1].units) }
        return own.units - min(own.units - fair[0], max(0, lacking - free))
    }

    /// The greatest number that all may have that want so much.
    private static func level(_ wanted: [Int], _ total: Int) -> Int {
        var (left, count) = (total, wanted.count)
        for demand in wanted.sorted() {
            guard demand <= left / count else { return left / count }
            (left, count) = (left - demand, count - 1)
        }
        return wanted.max() ?? 0
    }

    /// Whether one gets one of the last units before the other: who has one, then who has waited longest.
    ///
    /// When there is less than one for each, one that has had its turn comes last.
    private static func isBefore(_ one: Stake, _ other: Stake, _ level: Int) -> Bool {
        func rank(_ stake: Stake) -> (Int, Duration) {
            if stake.units <= level { return (1, .zero - stake.age) }
            return (level == 0 && stake.hasHadTurn ? 2 : 0, .zero)
        }
        let (first, second) = (rank(one), rank(other))
        return first == second ? one.shard < other.shard : first < second
    }
}
