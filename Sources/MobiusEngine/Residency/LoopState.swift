package import MobiusWire

package typealias LoopSlot = SlotTable<LoopID, LoopState>.Slot

/// The state of one loop in memory.
package struct LoopState: SlotValue {
    package var nextSequence: UInt64
    /// Keys of outside events, so that the same key is applied once.
    var outsideKeys: RecentSet<ExactText>
    /// Whether the journal had more keys at the start than these.
    var forgetsKeys = false
    /// The number of its effects that have not ended.
    package var pending = 0
    /// The time at which its last event was applied, if that is known.
    var lastEvent: WallTime?
    /// The first event that may have asked for its pending effects; none asked for more than `width` of them.
    var oldest: UInt64 = 0
    var width: UInt32 = 0
    /// Its start, which is later than 0 after it has begun again.
    package var began: UInt64 = 0
    /// The time at which it was last used, by an event, a request or its return to memory.
    var lastUse = Moment(nanoseconds: 0)
    /// Whether it is being stored as idle, and was not used since.
    var isLeaving = false
    /// Whether it waits to be examined for idleness: once at a time, or it might leave twice, the second time too early.
    var isWatched = false

    package static let nothing = LoopState(nextSequence: 0, outsideKeys: RecentSet(limit: 0))

    /// The number of its last event; `nil` before the first.
    var lastSequence: UInt64? { nextSequence > 0 ? nextSequence - 1 : nil }

    /// Whether the journal may know more keys of its events than it.
    var forgetsAnyKey: Bool { forgetsKeys || outsideKeys.hasForgotten }

    /// Where its pending effects may be.
    var span: EffectSpan {
        EffectSpan(count: pending, events: min(oldest, nextSequence)..<nextSequence, width: width, began: began)
    }

    /// Counts effects that the event `sequence` asks for.
    mutating func ask(_ count: Int, by sequence: UInt64) {
        if pending == 0 { (oldest, width) = (sequence, 0) }
        pending += count
        width = max(width, UInt32(clamping: count))
    }

    /// Counts an effect of any earlier event that is pending again.
    mutating func askAgain(_ id: EffectID) {
        if pending == 0 { (oldest, width) = (id.sequence, 0) }
        pending += 1
        oldest = min(oldest, id.sequence)
        width = max(width, id.index.saturatingAdding(1))
    }

    /// Counts and returns the number of the next event, which is applied now.
    package mutating func takeSequence(_ time: WallTime, at now: Moment) -> UInt64 {
        lastEvent = time
        lastUse = now
        isLeaving = false
        defer { nextSequence += 1 }
        return nextSequence
    }
}

/// Where the pending effects of a loop may be: cheap to copy, unlike its state.
struct EffectSpan: Equatable, Sendable {
    /// How many they are, or were.
    let count: Int
    /// The events that may have asked for them; none asked for more than `width`.
    let events: Range<UInt64>
    let width: UInt32
    /// The loop's start, which is later than 0 after it has begun again.
    let began: UInt64

    /// At how many places they may be.
    var window: UInt64 {
        let (places, overflow) = (events.upperBound - events.lowerBound).multipliedReportingOverflow(by: UInt64(width))
        return overflow ? .max : places
    }
}

extension EffectSpan {
    /// Where these effects of a loop are whose last event is `last`; `nil` for none.
    init?(of effects: [EffectID], upTo last: UInt64) {
        guard let first = effects.map(\.sequence).min(), let widest = effects.map(\.index).max() else { return nil }
        let next = last.saturatingAdding(1)
        self.init(
            count: effects.count, events: min(first, next)..<next, width: widest.saturatingAdding(1), began: 0)
    }
}
