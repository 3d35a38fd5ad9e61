package import MobiusJournal
import MobiusWire

/// One thread's breadcrumbs: what it applies right now is noted in shared memory before, and struck out after.
///
/// Used on one thread at a time. When the thread traps in between, its breadcrumb says so to the next start; when the
/// process is killed by somebody else, it does not.
package final class EventTrail {
    // Unchecked, as it is there for each event: nobody gets there while it is changed.
    @exclusivity(unchecked) private var slot: BreadcrumbSlot
    private let watch: any TrapWatch

    /// Writes to a slot, whose memory the watch keeps.
    package init(_ slot: BreadcrumbSlot, watch: any TrapWatch) {
        self.slot = slot
        self.watch = watch
    }

    /// The calling thread uses it from now on; where its stack may be used up, it needs an ``AlternateStack``.
    func moveHere() { watch.moveHere() }

    /// The event is about to be applied; ``strikeOut()`` comes before the next one.
    func note(_ event: Payload, from source: SourceKey, to loop: LoopID) {
        slot.lay(loop: loop, source: source, event: event)
    }

    /// The event was applied.
    func strikeOut() { slot.clear() }

    /// Runs `body`, which applies the event.
    ///
    /// - Parameter replayed: The event's place, if it is in the journal already.
    @inline(__always)
    func applying<Result, Failure>(
        _ event: Payload?, from source: SourceKey, to loop: LoopID, replayed: UInt64? = nil,
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        slot.lay(loop: loop, source: source, event: event, replayed: replayed)
        defer { slot.clear() }
        return try body()
    }
}

extension EventTrail? {
    /// Runs `body`, which applies the event, with a breadcrumb where there is a journal.
    @inline(__always)
    func applying<Result, Failure>(
        _ event: @autoclosure () -> Payload?, from source: @autoclosure () -> SourceKey,
        to loop: @autoclosure () -> LoopID, replayed: UInt64? = nil, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard let self else { return try body() }
        return try self.applying(event(), from: source(), to: loop(), replayed: replayed, body)
    }
}
