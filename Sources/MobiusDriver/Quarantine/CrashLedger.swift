package import MobiusJournal
import MobiusWire

/// The events that ended the process while they were applied, as the journal remembers them.
package struct CrashLedger: Sendable {
    /// After how many traps of one event its loop is held.
    static let limit = 2

    /// One event of one loop.
    package struct Event: Hashable {
        let loop: LoopID
        let source: SourceKey
    }

    private var crashes: [Event: Crash] = [:]

    /// Takes the crashes that are in the journal.
    package init(_ crashes: [Crash] = []) {
        for crash in crashes {
            self.crashes[Event(loop: crash.breadcrumb.loop, source: crash.breadcrumb.source)] = crash
        }
    }

    /// Whether there are none, so that nobody needs to look.
    var isEmpty: Bool { crashes.isEmpty }

    /// The loops of which events crashed.
    var loops: Set<LoopID> { Set(crashes.keys.map(\.loop)) }

    /// What holds a loop: the newest of its events that crashed too often, unless an operator dropped it.
    ///
    /// - Parameter snapshot: The number of the newest snapshot: an event up to that need not be applied again.
    func holding(_ loop: LoopID, after snapshot: UInt64?) -> Crash? {
        crashes.values.filter { crash in
            guard crash.breadcrumb.loop == loop, crash.count >= Self.limit, !crash.isDropped else { return false }
            guard let replayed = crash.breadcrumb.replayed, let snapshot else { return true }
            return replayed > snapshot
        }.max { $0.time < $1.time }
    }

    /// Whether an event trapped that is needed for a check only.
    func hasTrappedChecking(_ loop: LoopID, in sequences: ClosedRange<UInt64>) -> Bool {
        crashes.values.contains { crash in
            crash.breadcrumb.loop == loop && crash.breadcrumb.replayed.map(sequences.contains) ?? false
        }
    }

    /// Whether an operator dropped this event, which is then recorded without `update`.
    func isDropped(_ event: Event) -> Bool { crashes[event]?.isDropped ?? false }

    /// Whether the event crashed.
    func contains(_ event: Event) -> Bool { crashes[event] != nil }

    /// Forgets an event, which has been applied or dropped.
    mutating func forget(_ event: Event) { crashes[event] = nil }

    /// An operator wants this event dropped when it comes again.
    mutating func drop(_ event: Event) { crashes[event]?.isDropped = true }
}
