import MobiusJournal
import MobiusWire

/// The shards of a cluster that a process should have: their number, and which ones.
///
/// A share is the number of shards divided by that of the processes that may get some, rounded up. A shard that an operator
/// wants a process to have is that one's as long as it may get shards, also above its share.
struct FairShare: Sendable {
    private let own: Incarnation
    /// The processes as they were read last, with this one; `nil` before that, when nothing may be taken.
    var members: [ClusterMember]?

    init(_ own: Incarnation) {
        self.own = own
    }

    /// Whether this process may take a free shard, when it holds so many.
    ///
    /// - Parameter isLeft: Whether nobody has taken it for long: then it may be above its share, for the others may be unable to.
    func admits(
        _ shard: ShardState, holding count: Int, of shards: [ShardState], isLeft: Bool, dead: Set<Incarnation>
    ) -> Bool {
        guard let members else { return false }
        let able = able(members, dead)
        if let wanted = shard.wanted, isHonoured(wanted, able, members) { return wanted == own }
        return isLeft || count < limit(of: own, able, shards.count)
    }

    /// The shard that this process should hand over next; `nil` when it should keep all that it has `held`.
    ///
    /// A shard is handed over only when another process is there that will take it.
    ///
    /// - Parameter left: The shards that nobody has taken for long, perhaps because none can run them.
    func excess(
        of held: [UInt32], among shards: [ShardState], left: Set<UInt32>, dead: Set<Incarnation>
    ) -> UInt32? {
        guard let members else { return nil }
        let able = able(members, dead)
        let others = able.subtracting([own])
        let mine = shards.filter { held.contains($0.shard) }
        let moved = mine.first { shard in
            shard.wanted.map { $0 != own && isHonoured($0, able, members) } ?? false
        }
        if let moved { return moved.shard }
        guard mine.count > limit(of: own, able, shards.count) else { return nil }
        // They take first what nobody runs.
        let isAnyFree = shards.contains { shard in
            guard !left.contains(shard.shard), !shard.isDamaged else { return false }
            return shard.lease.map { $0.remaining <= .zero || dead.contains($0.holder.process) } ?? true
        }
        let hasRoom = others.contains { other in
            shards.count { $0.lease?.holder.process == other } < limit(of: other, able, shards.count)
        }
        guard hasRoom, !isAnyFree else { return nil }
        return mine.last { $0.wanted != own || !able.contains(own) }?.shard
    }

    /// The processes that may get a share.
    private func able(_ members: [ClusterMember], _ dead: Set<Incarnation>) -> Set<Incarnation> {
        Set(
            members.filter { $0.isReady && !$0.isDraining && !$0.isGuest && !dead.contains($0.process) }
                .map(\.process))
    }

    /// Whether a shard goes to the process that it is wanted for.
    private func isHonoured(_ wanted: Incarnation, _ able: Set<Incarnation>, _ members: [ClusterMember]) -> Bool {
        able.contains(wanted) || members.contains { $0.isGuest && $0.process == wanted }
    }

    /// One that may get none keeps what it has, unless another may.
    private func limit(of process: Incarnation, _ able: Set<Incarnation>, _ shards: Int) -> Int {
        guard !able.isEmpty else { return shards }
        return able.contains(process) ? (shards + able.count - 1) / able.count : 0
    }
}
