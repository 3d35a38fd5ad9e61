import DequeModule
import MobiusWire

/// The waiting effects of one lane, by their keys; see ``FairQueue``.
struct FairLane: Equatable, Sendable {
    /// The waiting effects of one key, oldest first.
    struct Line: Equatable, Sendable {
        var entries = Deque<PoolState.Entry>()
        /// Whether the key's own limit blocks it: then it has no rank until the limit has room again.
        var isParked = false

        mutating func putBack(_ entry: PoolState.Entry) {
            entries.insert(entry, at: entries.firstIndex { $0.order >= entry.order } ?? entries.count)
        }
    }

    /// A key that may be next.
    struct Rank: Comparable, Sendable {
        /// The key's start tag when it was ranked; the tag may have grown since.
        let start: UInt64
        /// The order of its oldest effect, which decides between equal tags.
        let order: UInt64
        let key: FairQueue.Key

        static func < (one: Rank, other: Rank) -> Bool { (one.start, one.order) < (other.start, other.order) }
    }

    let key: PoolState.LaneKey
    var lines: [FairQueue.Key: Line] = [:]
    /// The keys that are not parked.
    var ranks = MinHeap<Rank>()
    /// The least start tag that counts here: no key gets more turns later because all of its lane was blocked.
    var floor: UInt64 = 0
    /// Whether its limit or its worker blocked all of it when the next effect was chosen last.
    var isBlocked = false

    init(_ key: PoolState.LaneKey) {
        self.key = key
    }

    /// Everything that waits in it, in no order.
    var entries: [PoolState.Entry] { lines.values.flatMap(\.entries) }

    /// Puts an entry back before all later ones of its key; returns whether the key was waiting.
    mutating func reinsert(_ entry: PoolState.Entry, of key: FairQueue.Key) -> Bool {
        lines[key]?.putBack(entry) != nil
    }

    /// Removes obsolete entries, and returns the keys of which nothing is left.
    mutating func sweep(keeping matters: (EffectSlot) -> Bool) -> [FairQueue.Key] {
        var empty: [FairQueue.Key] = []
        for key in lines.keys {
            lines[key]?.entries.removeAll { !matters($0.effect) }
            if lines[key]?.entries.isEmpty == true { empty.append(key) }
        }
        for key in empty { lines[key] = nil }
        ranks.removeAll { lines[$0.key] == nil }
        return empty
    }
}
