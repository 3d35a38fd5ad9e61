package import MobiusJournal

/// Memory that outlives the process and records for what a thread calls the program, in case the thread traps.
package protocol Breadcrumbs: Sendable {
    /// The traces that the previous process recorded.
    var traces: [BreadcrumbSlot.Trace] { get }
    /// Clears what the previous process recorded, after it was copied to the journal.
    func clear()
    /// Returns the breadcrumbs of the calling thread, whose traps are detected from now on.
    func trail(_ place: BreadcrumbPlace) -> EventTrail
}

/// The parts of the memory, by the thread that writes to each.
package enum BreadcrumbPlace: Int, CaseIterable {
    /// Written by the driver's thread, which applies events.
    case running
    /// Written by the journal thread, which replays loops that return or are released, and encodes snapshots.
    case journal
    /// Written by the thread that encodes and redacts what clients read.
    case reading
    /// Written by the thread that computes models of the past.
    case past
}
