import DequeModule
import MobiusWire

/// The effects that are events for other loops and are on disk, by the loop that is to take them, in order.
struct Deliveries: Equatable, Sendable {
    /// One of them; the smaller the order, the earlier it was released.
    struct Entry: Equatable, Sendable {
        let effect: EffectSlot
        let order: UInt64
    }

    /// The waiting effects of each loop, oldest first; a loop without any is not in it.
    private var waiting: [LoopID: Deque<Entry>] = [:]
    /// The loops that may take theirs now, in the order in which they became so; each once.
    private var ready: Deque<LoopID> = []
    private var isReady: Set<LoopID> = []
    /// The loops that are being read from the journal.
    var away: Set<LoopID> = []
    /// The deadline that is set for the next deliveries.
    var wakesAt: Moment?

    /// Whether an effect may be delivered now.
    var hasReady: Bool { !ready.isEmpty }

    /// Whether effects wait for this loop.
    func wait(for loop: LoopID) -> Bool { waiting[loop] != nil }

    /// Returns the number of effects that wait for this loop, or were cancelled while they did.
    func count(for loop: LoopID) -> Int { waiting[loop]?.count ?? 0 }

    /// The same of those that are of some sort; it costs a look at all.
    func count(for loop: LoopID, where condition: (EffectSlot) -> Bool) -> Int {
        waiting[loop]?.count { condition($0.effect) } ?? 0
    }

    /// Adds an effect at its place: nearly always the last one.
    mutating func insert(_ entry: Entry, for loop: LoopID) {
        var queue = waiting.removeValue(forKey: loop) ?? []
        var place = queue.endIndex
        while place > queue.startIndex, queue[place - 1].order > entry.order { place -= 1 }
        queue.insert(entry, at: place)
        waiting[loop] = queue
    }

    /// The loop may take its effects.
    mutating func admit(_ loop: LoopID) {
        guard waiting[loop] != nil, isReady.insert(loop).inserted else { return }
        ready.append(loop)
    }

    /// The loop may take none for now.
    mutating func block(_ loop: LoopID) {
        guard isReady.remove(loop) != nil else { return }
        ready.removeAll { $0 == loop }
    }

    /// Takes the oldest effect of the next loop; loops take turns.
    mutating func takeFirst() -> (loop: LoopID, entry: Entry)? {
        guard let loop = ready.popFirst() else { return nil }
        guard let entry = waiting[loop]?.popFirst() else {
            forget(loop)
            return nil
        }
        if waiting[loop]?.isEmpty ?? true { forget(loop) } else { ready.append(loop) }
        return (loop, entry)
    }

    private mutating func forget(_ loop: LoopID) {
        waiting[loop] = nil
        isReady.remove(loop)
    }

    /// All waiting effects, for checks.
    var all: [(loop: LoopID, effect: EffectSlot, isReady: Bool)] {
        waiting.flatMap { loop, queue in queue.map { (loop, $0.effect, isReady.contains(loop)) } }
    }
}
