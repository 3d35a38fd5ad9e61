import DequeModule
import MobiusWire

/// The waiting effects and the workers of one pool.
///
/// Effects wait in lanes, so that effects blocked by a limit or a busy worker do not block others.
struct PoolState: SlotValue {
    static let nothing = PoolState()

    /// The common properties of the effects of one lane.
    struct LaneKey: Hashable, Sendable {
        var priority: Int
        /// Their limit.
        var limit: String?
        /// The limit of each of their keys.
        var limitPerKey: String?
        /// The only worker for them, if they have an affinity.
        var owner = Owner.anybody
    }

    enum Owner: Hashable, Sendable {
        case anybody
        case worker(Incarnation)
        /// They have an affinity, but the pool has no worker yet.
        case nobody
    }

    struct Entry: Equatable, Sendable {
        let effect: EffectSlot
        /// Its order among all waiting effects.
        let order: UInt64
    }

    struct Lane: Equatable, Sendable {
        let key: LaneKey
        /// Whether its effects have nothing in common but their priority: then `key` need not be read.
        let isPlain: Bool
        /// Effects that were adopted or have ended meanwhile are skipped.
        var queue = Deque<Entry>()

        init(key: LaneKey) {
            self.key = key
            isPlain = key == LaneKey(priority: key.priority)
        }
    }

    /// The lanes, those of the highest priority first.
    private(set) var lanes: [Lane] = []
    /// The effects of priorities of which some have a key, those of the highest priority first; the lanes of these
    /// priorities are empty.
    var fair: [FairQueue] = []
    /// The number of waiting effects, including obsolete entries.
    private(set) var count = 0
    /// The workers that serve it, in the order they joined.
    var workers: [Incarnation] = []
    /// An upper bound of the cancelled effects in the queues since the last sweep.
    var skipped = 0
    /// Whether the operator was notified that no worker serves it.
    var noted = false

    var isEmpty: Bool { count == 0 }

    /// Puts an effect with this key, if it has one, at the end of its lane.
    mutating func append(_ entry: Entry, to lane: LaneKey, of key: FairQueue.Key) {
        count += 1
        if let queue = fairQueue(lane.priority, begins: key != nil) {
            fair[queue].append(entry, of: key, to: lane)
        } else {
            lanes[self.lane(lane)].queue.append(entry)
        }
    }

    /// Puts an effect without limit, affinity and key at the end of its lane: the usual case, without making a lane's key.
    mutating func append(_ entry: Entry, priority: Int) {
        guard fair.isEmpty, let lane = lanes.firstIndex(where: { $0.isPlain && $0.key.priority == priority }) else {
            return append(entry, to: LaneKey(priority: priority), of: nil)
        }
        count += 1
        lanes[lane].queue.append(entry)
    }

    /// Puts entries back in their former places: before all later ones; those of equal age in the order of their ids.
    mutating func reinsert(
        _ entries: [Entry], to key: LaneKey, named name: (EffectSlot) -> EffectID,
        keyed: (EffectSlot) -> FairQueue.Key
    ) {
        let isKeyed = entries.contains { keyed($0.effect) != nil }
        if let queue = fairQueue(key.priority, begins: isKeyed) {
            count += entries.count
            for entry in inOrder(entries, name).reversed() {
                fair[queue].reinsert(entry, of: keyed(entry.effect), to: key)
            }
            return
        }
        let position = lane(key)
        count += entries.count
        var entries = entries
        let last = entries.map(\.order).max() ?? 0
        while let first = lanes[position].queue.first, first.order < last {
            entries.append(first)
            _ = lanes[position].queue.popFirst()
        }
        lanes[position].queue.prepend(contentsOf: inOrder(entries, name))
    }

    private func inOrder(_ entries: [Entry], _ name: (EffectSlot) -> EffectID) -> [Entry] {
        entries.sorted { $0.order != $1.order ? $0.order < $1.order : name($0.effect) < name($1.effect) }
    }

    @discardableResult
    mutating func popFirst(ofLane position: Int) -> Entry? {
        guard let entry = lanes[position].queue.popFirst() else { return nil }
        count -= 1
        return entry
    }

    /// Removes the next effect of a fair queue's lane; if it `counts`, its key has used a turn.
    mutating func popFirst(ofFair queue: Int, lane: Int, counts: Bool) {
        fair[queue].popFirst(ofLane: lane, counts: counts)
        count -= 1
        if fair[queue].count == 0 { fair.remove(at: queue) }
    }

    /// Removes and returns all entries with an affinity, oldest first.
    mutating func takeSticky() -> [Entry] {
        var taken: [Entry] = []
        for queue in fair.indices {
            let sticky = fair[queue].takeSticky()
            count -= sticky.count
            taken += sticky
        }
        fair.removeAll { $0.count == 0 }
        for position in lanes.indices where lanes[position].key.owner != .anybody {
            while let entry = popFirst(ofLane: position) { taken.append(entry) }
        }
        lanes.removeAll { $0.key.owner != .anybody }
        return taken.sorted { $0.order < $1.order }
    }

    /// Removes obsolete entries; costs O(n).
    mutating func sweep(keeping matters: (EffectSlot) -> Bool) {
        for position in lanes.indices { lanes[position].queue.removeAll { !matters($0.effect) } }
        for queue in fair.indices { fair[queue].sweep(keeping: matters) }
        fair.removeAll { $0.count == 0 }
        count = lanes.reduce(0) { $0 + $1.queue.count } + fair.reduce(0) { $0 + $1.count }
        skipped = 0
    }

    /// Everything that waits, in no order.
    var entries: [Entry] { lanes.flatMap(\.queue) + fair.flatMap(\.entries) }

    /// The fair queue of a priority, if it has one or `begins` to have keys.
    ///
    /// It stays until it is empty, so that each effect is moved into it at most once.
    private mutating func fairQueue(_ priority: Int, begins: Bool) -> Int? {
        if fair.isEmpty, !begins { return nil }
        let position = fair.firstIndex { $0.priority <= priority } ?? fair.endIndex
        if position < fair.endIndex, fair[position].priority == priority { return position }
        guard begins else { return nil }
        let plain = lanes.filter { $0.key.priority == priority }
        lanes.removeAll { $0.key.priority == priority }
        fair.insert(FairQueue(priority: priority, takingOver: plain), at: position)
        return position
    }

    private mutating func lane(_ key: LaneKey) -> Int {
        if let position = lanes.firstIndex(where: { $0.key == key }) { return position }
        let position = lanes.firstIndex { $0.key.priority < key.priority } ?? lanes.endIndex
        lanes.insert(Lane(key: key), at: position)
        return position
    }
}
