import DequeModule
import MobiusWire

/// The waiting effects of one pool and priority, shared out fairly between keys.
///
/// Source: P. Goyal, H. Vin and H. Cheng, "Start-Time Fair Queueing", 1996, in which each effect has the length 1. A
/// key that begins to wait gets the virtual time as its start tag, the least tag is next, and each effect that starts
/// adds 1 to its key's tag. So an effect whose key had none waiting is overtaken by at most one effect of each other
/// key. The tag is the key's, not the effect's: a key that was blocked begins again at the virtual time, and does not
/// make up for the turns that it could not use. Effects without a key count as those of one key.
///
/// A step costs O(log n) in the number of keys, and O(1) in that of effects. Nothing of it remains when it is empty.
struct FairQueue: Equatable, Sendable {
    /// An effect's key; `nil` for the effects without one.
    typealias Key = ExactText?
    typealias Entry = PoolState.Entry

    private struct Share: Equatable, Sendable {
        /// Its start tag.
        var start: UInt64
        /// The number of lanes in which it waits.
        var lanes = 0
    }

    /// The next effect of a lane.
    struct Head {
        let start: UInt64
        let order: UInt64

        func isBefore(_ other: Head) -> Bool { (start, order) < (other.start, other.order) }
    }

    let priority: Int
    private(set) var lanes: [FairLane] = []
    private var shares: [Key: Share] = [:]
    /// The start tag of the effect that started last.
    private var virtualTime: UInt64 = 0
    /// Keys of which nothing waits, and whose tags are after the virtual time.
    private var idle: [Key] = []
    /// The orders of its effects, oldest first.
    ///
    /// Pools compete by age: whichever effect starts uses the oldest order, so that a young effect's turn takes nothing
    /// from another pool and costs its own pool nothing.
    private var turns = Deque<UInt64>()

    init(priority: Int) {
        self.priority = priority
    }

    /// The number of waiting effects, including obsolete entries.
    var count: Int { turns.count }

    /// The number of keys that it remembers.
    var keyCount: Int { shares.count }

    /// Its age among the pools.
    var turn: UInt64 { turns.first ?? .max }

    /// Everything that waits, in no order.
    var entries: [Entry] { lanes.flatMap(\.entries) }

    // MARK: Entries

    mutating func append(_ entry: Entry, of key: Key, to lane: PoolState.LaneKey) {
        turns.append(max(entry.order, turns.last ?? 0))
        let place = self.lane(lane)
        if lanes[place].lines[key]?.entries.append(entry) == nil { open(key, place, entry) }
    }

    /// Puts an entry back: before the later ones of its key, which takes its next turn as any other.
    mutating func reinsert(_ entry: Entry, of key: Key, to lane: PoolState.LaneKey) {
        turns.prepend(min(entry.order, turns.first ?? .max))
        let place = self.lane(lane)
        if !lanes[place].reinsert(entry, of: key) { open(key, place, entry) }
    }

    /// The next entry of a lane, as ``head(ofLane:isBlocked:)`` left it.
    func first(ofLane place: Int) -> Entry? {
        lanes[place].ranks.first.flatMap { lanes[place].lines[$0.key]?.entries.first }
    }

    /// Removes it; if it `counts`, its key has used a turn.
    mutating func popFirst(ofLane place: Int, counts: Bool) {
        guard let rank = lanes[place].ranks.first, lanes[place].lines[rank.key]?.entries.popFirst() != nil else {
            return
        }
        _ = turns.popFirst()
        if counts { charge(rank.key, from: max(rank.start, lanes[place].floor)) }
        if lanes[place].lines[rank.key]?.entries.isEmpty == true {
            lanes[place].lines[rank.key] = nil
            lanes[place].ranks.removeFirst()
            close(rank.key)
        }
    }

    /// Removes and returns the entries with an affinity, oldest first.
    mutating func takeSticky() -> [Entry] {
        var taken: [Entry] = []
        for lane in lanes where lane.key.owner != .anybody {
            for (key, line) in lane.lines {
                taken += line.entries
                close(key)
            }
        }
        lanes.removeAll { $0.key.owner != .anybody }
        turns.removeLast(taken.count)
        return taken.sorted { $0.order < $1.order }
    }

    /// Removes obsolete entries; costs O(n).
    mutating func sweep(keeping matters: (EffectSlot) -> Bool) {
        for place in lanes.indices {
            for key in lanes[place].sweep(keeping: matters) { close(key) }
        }
        turns.removeLast(turns.count - lanes.reduce(0) { $0 + $1.lines.values.reduce(0) { $0 + $1.entries.count } })
    }

    // MARK: The next one

    /// All of a lane is blocked.
    mutating func block(lane place: Int) {
        lanes[place].isBlocked = true
    }

    /// The lane's next effect; keys before it that `isBlocked` says are parked until ``unpark(_:in:)``.
    mutating func head(ofLane place: Int, isBlocked: (ExactText) -> Bool) -> Head? {
        if lanes[place].isBlocked {
            lanes[place].isBlocked = false
            lanes[place].floor = virtualTime
        }
        while let rank = lanes[place].ranks.first {
            if let start = shares[rank.key]?.start, start > rank.start {
                lanes[place].ranks.replaceFirst(by: FairLane.Rank(start: start, order: rank.order, key: rank.key))
            } else if let key = rank.key, isBlocked(key) {
                lanes[place].lines[key]?.isParked = true
                lanes[place].ranks.removeFirst()
            } else {
                let order = lanes[place].lines[rank.key]?.entries.first?.order ?? rank.order
                return Head(start: max(rank.start, lanes[place].floor), order: order)
            }
        }
        return nil
    }

    /// The limit that blocked a key has room.
    mutating func unpark(_ key: ExactText, in lane: PoolState.LaneKey) {
        guard let place = lanes.firstIndex(where: { $0.key == lane }), lanes[place].lines[key]?.isParked == true,
            let order = lanes[place].lines[key]?.entries.first?.order
        else { return }
        lanes[place].lines[key]?.isParked = false
        rank(key, place, order: order)
    }

    // MARK: Start tags

    /// A key begins to wait in a lane.
    private mutating func open(_ key: Key, _ place: Int, _ entry: Entry) {
        lanes[place].lines[key] = FairLane.Line(entries: [entry])
        rank(key, place, order: entry.order)
        shares[key]?.lanes += 1
    }

    /// Ranks a key that was not ranked in the lane: it has missed the turns until now.
    private mutating func rank(_ key: Key, _ place: Int, order: UInt64) {
        let start = max(shares[key]?.start ?? 0, virtualTime)
        shares[key, default: Share(start: start)].start = start
        lanes[place].ranks.insert(FairLane.Rank(start: start, order: order, key: key))
    }

    private mutating func charge(_ key: Key, from start: UInt64) {
        shares[key]?.start = start + 1
        guard start > virtualTime else { return }
        virtualTime = start
        for key in idle {
            if let share = shares[key], share.lanes == 0, share.start <= start { shares[key] = nil }
        }
        idle.removeAll(keepingCapacity: true)
    }

    /// Nothing of a key waits in a lane any more.
    ///
    /// Its tag matters while it is after the virtual time, or a key with one effect at a time would always be first.
    private mutating func close(_ key: Key) {
        shares[key]?.lanes -= 1
        guard let share = shares[key], share.lanes == 0 else { return }
        if share.start > virtualTime { idle.append(key) } else { shares[key] = nil }
    }

    private mutating func lane(_ key: PoolState.LaneKey) -> Int {
        if let place = lanes.firstIndex(where: { $0.key == key }) { return place }
        lanes.append(FairLane(key))
        return lanes.endIndex - 1
    }
}

extension FairQueue {
    /// Takes over the lanes of a priority without keys.
    init(priority: Int, takingOver plain: [PoolState.Lane]) {
        self.init(priority: priority)
        let waiting = plain.flatMap { lane in lane.queue.map { (lane.key, $0) } }
        for (lane, entry) in waiting.sorted(by: { $0.1.order < $1.1.order }) { append(entry, of: nil, to: lane) }
    }
}
