/// The view that a ``SlotBroker`` has of a shard.
package struct SlotAccount: Equatable, Sendable {
    /// Whether it has a session in which it takes effects now.
    package var isJoined: Bool
    /// The slots that it has been lent.
    package var allotment: Int
    /// Those of them in which handlers run.
    package var running: Int
    /// The number of effects that began to wait for its slots; 0 when none does.
    package var wanted: Int
    /// The slots that were asked back and have not come.
    package var claimed: Int

    package init(isJoined: Bool, allotment: Int, running: Int, wanted: Int, claimed: Int) {
        self.isJoined = isJoined
        self.allotment = allotment
        self.running = running
        self.wanted = wanted
        self.claimed = claimed
    }

    /// The slots that it has and does not use.
    var unused: Int { max(0, allotment - running) }
    /// Whether it would start an effect at once, had it a slot.
    var lacks: Bool { isJoined && wanted > 0 && unused == 0 }
}

/// Shares the slots of one worker process out between the shards that it serves.
///
/// A slot is lent to one shard at a time, which promises it to its coordinator. Those that nobody wants lie evenly with all
/// shards, so that an effect of any of them starts at once. When effects of a shard wait that has no free slot, it gets
/// the next one that comes free, in turn with others that wait, and unused ones of shards that want none are asked back.
package struct SlotBroker: Equatable, Sendable {
    /// A change that it requests of a shard.
    package enum Move: Equatable, Sendable {
        case lend(shard: Int, slots: Int)
        case askBack(shard: Int, slots: Int)
    }

    private let capacity: Int
    /// The shard that was lent a slot last.
    private var last = 0

    package init(capacity: Int) {
        self.capacity = capacity
    }

    /// Decides what to lend and to ask back, by the accounts of all shards.
    package mutating func moves(_ accounts: [SlotAccount]) -> [Move] {
        var accounts = accounts
        var lent = [Int](repeating: 0, count: accounts.count)
        // A shard may run more than it was lent for a moment: its slots are not there then.
        var spare = capacity - accounts.reduce(0) { $0 + max($1.allotment, $1.running) }
        while spare > 0, let shard = next(accounts) {
            spare -= 1
            accounts[shard].allotment += 1
            lent[shard] += 1
            last = shard
        }
        var moves = lent.indices.filter { lent[$0] > 0 }.map { Move.lend(shard: $0, slots: lent[$0]) }
        var missing = accounts.reduce(0) { min(capacity, $0 + ($1.lacks ? $1.wanted : 0)) - $1.claimed }
        for shard in accounts.indices.sorted(by: { accounts[$0].unused > accounts[$1].unused }) where missing > 0 {
            let account = accounts[shard]
            guard account.claimed == 0, account.unused > 0, !account.isJoined || account.wanted == 0 else { continue }
            let slots = min(account.unused, missing)
            missing -= slots
            moves.append(.askBack(shard: shard, slots: slots))
        }
        return moves
    }

    /// The shard that is lent the next slot: one that lacks one, else one that wants more, else any; of several the one that
    /// has the least, and of these the next in turn.
    private func next(_ accounts: [SlotAccount]) -> Int? {
        func rank(_ shard: Int) -> (Int, Int, Int) {
            let account = accounts[shard]
            let turn = (shard - last - 1 + accounts.count) % accounts.count
            return (account.lacks ? 0 : account.wanted > 0 ? 1 : 2, account.allotment, turn)
        }
        return accounts.indices.filter { accounts[$0].isJoined }.min { rank($0) < rank($1) }
    }
}
