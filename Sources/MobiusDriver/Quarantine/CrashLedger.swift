package import MobiusJournal
import MobiusWire

/// The causes of traps of the process: events while they were applied, and calls at other places, as recorded in the
/// journal.
package struct CrashLedger: Sendable {
    /// The number of traps of one event, or at one place, after which the loop is held.
    static let limit = 2

    /// One event of one loop, or one place at which the program is called for a loop.
    package struct Event: Hashable, Sendable {
        let loop: LoopID
        package let source: SourceKey
    }

    private var crashes: [Event: Crash] = [:]

    /// Makes a ledger of the journal's crashes.
    package init(_ crashes: [Crash] = []) {
        for crash in crashes {
            self.crashes[Event(loop: crash.breadcrumb.loop, source: crash.breadcrumb.source)] = crash
        }
    }

    /// Whether there are no crashes, so that the lookup for each event can be skipped.
    var isEmpty: Bool { crashes.isEmpty }

    /// The loops with crashed events.
    var loops: Set<LoopID> { Set(crashes.keys.map(\.loop)) }

    /// Returns the crash that holds a loop: the newest of those at the limit that an operator has not dropped.
    ///
    /// - Parameter snapshot: The sequence of the newest snapshot; events up to it need not be applied again, and earlier
    ///   snapshots need not be decoded.
    func holding(_ loop: LoopID, after snapshot: UInt64?) -> Crash? {
        crashes.values.filter { crash in
            guard crash.breadcrumb.loop == loop, crash.count >= Self.limit, !crash.isDropped else { return false }
            let place = crash.breadcrumb.source.place
            guard place?.holds ?? true else { return false }
            guard let replayed = crash.breadcrumb.replayed, let snapshot else { return true }
            return place == .model ? replayed == snapshot : replayed > snapshot
        }.max { $0.time < $1.time }
    }

    /// Whether an event in this range trapped at replay, or a model of it: what is not needed for recovery is skipped then.
    ///
    /// - Parameter build: Only traps of this build count; `nil` for all.
    func hasTrapped(replaying loop: LoopID, in sequences: ClosedRange<UInt64>, by build: String? = nil) -> Bool {
        crashes.values.contains { crash in
            crash.breadcrumb.loop == loop && crash.breadcrumb.replayed.map(sequences.contains) ?? false
                && (build == nil || crash.build == build)
        }
    }

    /// The number of places at which this build trapped while it computed facts, or while it replayed events, also for other ends.
    func trapsOfFacts(by build: String, replaying: Bool) -> Int {
        crashes.values.count { crash in
            crash.build == build
                && (crash.breadcrumb.source.place == .facts || replaying && crash.breadcrumb.replayed != nil)
        }
    }

    /// Whether a call is skipped, because it trapped before in the same build.
    func skips(_ place: Event, by build: String) -> Bool { crashes[place]?.build == build }

    /// Whether an operator dropped this event, so that it is recorded without being applied.
    func isDropped(_ event: Event) -> Bool { crashes[event]?.isDropped ?? false }

    /// Whether the event has a crash record.
    func contains(_ event: Event) -> Bool { crashes[event] != nil }

    /// Removes the crash record of an event.
    mutating func forget(_ event: Event) { crashes[event] = nil }

    /// Marks an event to be dropped when it arrives again.
    mutating func drop(_ event: Event) { crashes[event]?.isDropped = true }
}
