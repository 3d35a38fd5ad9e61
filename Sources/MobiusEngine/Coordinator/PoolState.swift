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
        /// Effects that were adopted or have ended meanwhile are skipped.
        var queue = Deque<Entry>()
    }

    /// The lanes, those of the highest priority first.
    private(set) var lanes: [Lane] = []
    /// The number of waiting effects, including obsolete entries.
    private(set) var count = 0
    /// The workers that serve it, in the order they joined.
    var workers: [Incarnation] = []
    /// An upper bound of the cancelled effects in the queues since the last sweep.
    var skipped = 0
    /// Whether the operator was notified that no worker serves it.
    var noted = false

    var isEmpty: Bool { count == 0 }

    mutating func append(_ entry: Entry, to key: LaneKey) {
        lanes[lane(key)].queue.append(entry)
        count += 1
    }

    /// Puts entries back in their former places: before all later ones; those of equal age in the order of their ids.
    mutating func reinsert(_ entries: [Entry], to key: LaneKey, named name: (EffectSlot) -> EffectID) {
        let position = lane(key)
        count += entries.count
        var entries = entries
        let last = entries.map(\.order).max() ?? 0
        while let first = lanes[position].queue.first, first.order < last {
            entries.append(first)
            _ = lanes[position].queue.popFirst()
        }
        lanes[position].queue.prepend(
            contentsOf: entries.sorted {
                $0.order != $1.order ? $0.order < $1.order : name($0.effect) < name($1.effect)
            })
    }

    mutating func popFirst(ofLane position: Int) -> Entry? {
        guard let entry = lanes[position].queue.popFirst() else { return nil }
        count -= 1
        return entry
    }

    /// Removes and returns all entries with an affinity, oldest first.
    mutating func takeSticky() -> [Entry] {
        var taken: [Entry] = []
        for position in lanes.indices where lanes[position].key.owner != .anybody {
            while let entry = popFirst(ofLane: position) { taken.append(entry) }
        }
        lanes.removeAll { $0.key.owner != .anybody }
        return taken.sorted { $0.order < $1.order }
    }

    /// Removes obsolete entries; costs O(n).
    mutating func sweep(keeping matters: (EffectSlot) -> Bool) {
        for position in lanes.indices { lanes[position].queue.removeAll { !matters($0.effect) } }
        count = lanes.reduce(0) { $0 + $1.queue.count }
        skipped = 0
    }

    private mutating func lane(_ key: LaneKey) -> Int {
        if let position = lanes.firstIndex(where: { $0.key == key }) { return position }
        let position = lanes.firstIndex { $0.key.priority < key.priority } ?? lanes.endIndex
        lanes.insert(Lane(key: key), at: position)
        return position
    }
}
