package import MobiusJournal
import MobiusWire

/// One thread's breadcrumb: what the program is called for is written to shared memory before, and cleared afterwards.
///
/// Used on one thread at a time. If the thread traps in between, the next start finds the breadcrumb marked as trapped.
/// If another process kills this one, the breadcrumb is not marked.
package final class EventTrail {
    // Unchecked, because it is used for each event: nothing else runs while it is changed.
    @exclusivity(unchecked) private var slot: BreadcrumbSlot
    private let watch: AnyObject

    /// Makes a trail that writes to a slot; the watch keeps the slot's memory alive.
    package init(_ slot: BreadcrumbSlot, watch: AnyObject) {
        self.slot = slot
        self.watch = watch
    }

    /// Records that the event is about to be applied; call ``clear()`` before the next event.
    func note(_ event: Payload, from source: SourceKey, to loop: LoopID) {
        slot.record(loop: loop, source: source, event: event)
    }

    /// Clears the breadcrumb after the event was applied.
    func clear() { slot.clear() }

    /// Runs `body`, which applies the event, and records the event meanwhile.
    ///
    /// - Parameter replayed: The event's sequence if it is already in the journal.
    @inline(__always)
    func applying<Result, Failure>(
        _ event: Payload?, from source: SourceKey, to loop: LoopID, replayed: UInt64? = nil,
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        slot.record(loop: loop, source: source, event: event, replayed: replayed)
        defer { slot.clear() }
        return try body()
    }
}

extension EventTrail? {
    /// Runs `body`, which applies the event, with a breadcrumb if there is a trail.
    @inline(__always)
    func applying<Result, Failure>(
        _ event: @autoclosure () -> Payload?, from source: @autoclosure () -> SourceKey,
        to loop: @autoclosure () -> LoopID, replayed: UInt64? = nil, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard let self else { return try body() }
        return try self.applying(event(), from: source(), to: loop(), replayed: replayed, body)
    }
}
