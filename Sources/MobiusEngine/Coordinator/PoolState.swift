import DequeModule
import MobiusWire

/// What waits for the workers of one pool, and who they are.
///
/// It waits in lanes, so that what a limit or a busy worker holds back holds back nothing else.
struct PoolState: SlotValue {
    static let nothing = PoolState()

    /// What the effects of one lane have in common.
    struct LaneKey: Hashable, Sendable {
        var priority: Int
        /// The limit they keep.
        var limit: String?
        /// The worker that alone may have them, if they stick to one.
        var owner = Owner.anybody
    }

    enum Owner: Hashable, Sendable {
        case anybody
        case worker(Incarnation)
        /// They stick to one worker, and there is none yet.
        case nobody
    }

    struct Entry: Equatable, Sendable {
        let effect: EffectSlot
        /// Its age among all effects that wait.
        let order: UInt64
    }

    struct Lane: Equatable, Sendable {
        let key: LaneKey
        /// An effect that was adopted or ended meanwhile is skipped when its turn comes.
        var queue = Deque<Entry>()
    }

    /// The lanes, those of the highest priority first.
    private(set) var lanes: [Lane] = []
    /// How many effects wait, those that no longer matter included.
    private(set) var count = 0
    /// The workers that serve it, in the order they joined.
    var workers: [Incarnation] = []
    /// How many effects of the queues were cancelled, at most, since they were swept.
    var skipped = 0
    /// Whether the operator was told that nobody serves it.
    var noted = false

    var isEmpty: Bool { count == 0 }

    mutating func append(_ entry: Entry, to key: LaneKey) {
        lanes[lane(key)].queue.append(entry)
        count += 1
    }

    /// Puts entries back to where they were: before all that began to wait later; of equal age, as their names say.
    mutating func putBack(_ entries: [Entry], to key: LaneKey, named name: (EffectSlot) -> EffectID) {
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

    /// Takes out all that sticks to one worker, oldest first.
    mutating func takeSticky() -> [Entry] {
        var taken: [Entry] = []
        for position in lanes.indices where lanes[position].key.owner != .anybody {
            while let entry = popFirst(ofLane: position) { taken.append(entry) }
        }
        lanes.removeAll { $0.key.owner != .anybody }
        return taken.sorted { $0.order < $1.order }
    }

    /// Keeps only what still matters; costs O(n).
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
