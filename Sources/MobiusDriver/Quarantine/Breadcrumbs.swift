package import MobiusJournal

/// Memory that outlives the process and records the event that a thread is applying, in case the thread traps.
package protocol Breadcrumbs: Sendable {
    /// What the previous process recorded.
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
    /// Written by the journal thread while it replays a loop to be released.
    case releasing
}
