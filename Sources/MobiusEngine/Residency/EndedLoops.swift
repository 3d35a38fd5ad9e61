import DequeModule
import MobiusJournal
import MobiusWire

/// The loops that have ended and whose names are not new again.
package struct EndedLoops: Equatable, Sendable {
    /// One of them.
    package struct End: Equatable, Sendable {
        package let sequence: UInt64
        let time: WallTime
        /// Its effects whose ends are not on disk yet.
        var outstanding: UInt32
        let mayBeginAgain: Bool
        /// Whether it had sent events for other loops that were not delivered at its end.
        var isSending = false
        /// Whether it is being removed from the journal.
        var isRemoving = false
    }

    private struct Age: Equatable, Sendable {
        let loop: LoopID
        let time: WallTime
    }

    private var loops: [LoopID: End] = [:]
    /// All of them, and some that have begun again, in the order of their ends.
    private var ages: Deque<Age> = []
    /// The states of loops whose ends are not on disk: the journal does not know their newest keys yet.
    private var states: [LoopID: LoopState] = [:]
    /// Where the effects are of loops whose effects are still to cancel others.
    private var cancelling: [LoopID: EffectSpan] = [:]
    /// The loops that ended since the last flush: events for them may be under way.
    var fresh: Set<LoopID> = []
    /// The loops that ended with the event that is being recorded.
    var newest: [LoopID] = []
    /// The deadline that is set for the next removal.
    var wakesAt: Moment?
    /// Whether a loop has begun again: until then nothing can belong to an earlier life.
    var hasLives = false
    /// Whether loops are being removed.
    var removalIsUnderWay = false
    /// The number with which a loop begins whose name is new: above those of all loops that were removed, so that no effect
    /// gets the id of an earlier one.
    var newLoops: UInt64 = 0
    /// Loops that an earlier coordinator began to remove.
    var interrupted: [LoopID] = []

    subscript(loop: LoopID) -> End? { loops.isEmpty ? nil : loops[loop] }

    var count: Int { loops.count }

    func isRemoving(_ loop: LoopID) -> Bool { self[loop]?.isRemoving ?? false }

    mutating func insert(_ end: End, _ loop: LoopID, _ state: LoopState?) {
        loops[loop] = end
        ages.append(Age(loop: loop, time: end.time))
        guard let state else { return }
        states[loop] = state
        fresh.insert(loop)
        newest.append(loop)
    }

    /// The keys that the loop has applied, while the journal may not know the newest of them.
    func uncommitted(_ loop: LoopID) -> LoopState? { states[loop] }

    mutating func commit(_ loop: LoopID) { states[loop] = nil }

    /// Remembers where the effects of a loop are until all have ended.
    mutating func remember(_ span: EffectSpan, of loop: LoopID) { cancelling[loop] = span }

    /// Where the effects of a loop are, while its end is not on disk, or some of them are to cancel others.
    func span(of loop: LoopID) -> EffectSpan? {
        states.isEmpty && cancelling.isEmpty ? nil : states[loop]?.span ?? cancelling[loop]
    }

    /// Takes the loop out, because it begins again or is removed.
    mutating func remove(_ loop: LoopID) -> (end: End, state: LoopState?)? {
        guard !loops.isEmpty, let end = loops.removeValue(forKey: loop) else { return nil }
        fresh.remove(loop)
        cancelling[loop] = nil
        return (end, states.removeValue(forKey: loop))
    }

    /// Counts the end of an effect.
    ///
    /// - Returns: whether the effect belongs to an earlier life of its loop, or to an ended loop.
    mutating func forget(_ id: EffectID) -> Bool {
        guard !loops.isEmpty, let end = loops[id.loop] else { return false }
        if end.outstanding > 0 { loops[id.loop]?.outstanding -= 1 }
        if end.outstanding <= 1, !cancelling.isEmpty { cancelling[id.loop] = nil }
        return true
    }

    /// The moment at which the oldest is to be removed; `nil` without any.
    mutating func oldest(kept: Duration) -> WallTime? {
        while let first = ages.first, loops[first.loop]?.time != first.time { ages.removeFirst() }
        return ages.first.map { $0.time + kept }
    }

    /// Takes up to `count` loops whose removal an earlier coordinator began.
    mutating func takeInterrupted(_ count: Int) -> [LoopID] {
        let taken = Array(interrupted.prefix(count))
        interrupted.removeFirst(taken.count)
        return taken
    }

    /// Takes up to `count` loops that ended before `time`, to be removed; one that still sends events stays.
    mutating func takeOldest(_ count: Int, before time: WallTime) -> [LoopID] {
        var taken: [LoopID] = []
        var staying: [Age] = []
        while taken.count < count, let first = ages.first, first.time <= time {
            ages.removeFirst()
            guard let end = loops[first.loop], end.time == first.time, !end.isRemoving else { continue }
            if end.outstanding > 0 || states[first.loop] != nil {
                staying.append(first)
            } else {
                loops[first.loop]?.isRemoving = true
                taken.append(first.loop)
            }
        }
        for age in staying.reversed() { ages.prepend(age) }
        return taken
    }
}

extension EndedLoops.End {
    /// Returns a clause about the loop's end.
    func sentence(of loop: LoopID) -> String { "the loop \(loop) ended at \(time.utc) with event \(sequence)" }

    /// The answer to an event for it.
    func refusal(of loop: LoopID) -> ClientRefusal {
        ClientRefusal(
            .ended,
            "The loop \(loop) ended at \(time.utc) with event \(sequence) and takes no more events: "
                + "`mobius model \(loop)` shows its last model, and `mobius history \(loop)` what led to it.")
    }
}

extension WallTime {
    /// The time in ISO 8601, in UTC, in whole seconds.
    var utc: String {
        let seconds = milliseconds.dividedFloor(by: 1000)
        let date = CivilDate(day: seconds.dividedFloor(by: 86_400))
        let left = seconds.remainderFloor(by: 86_400)
        func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(date.year)-\(two(Int64(date.month)))-\(two(Int64(date.day)))"
            + "T\(two(left / 3600)):\(two(left / 60 % 60)):\(two(left % 60))Z"
    }
}
