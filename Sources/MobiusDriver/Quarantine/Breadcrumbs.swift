package import MobiusJournal

/// The memory in which a process that traps leaves behind what it applied; it outlives the process.
package protocol Breadcrumbs: Sendable {
    /// What the process before left behind.
    var traces: [BreadcrumbSlot.Trace] { get }
    /// Forgets what the process before left behind, which the journal has by now.
    func clear()
    /// The breadcrumbs of the calling thread, where a trap of it is noticed from now on.
    func trail(_ place: BreadcrumbPlace) -> EventTrail
}

/// Who writes to which part of the memory.
package enum BreadcrumbPlace: Int, CaseIterable {
    /// The thread on which loops run.
    case running
    /// The journal's thread, on which a loop that is released is replayed.
    case releasing
}

/// Notices that a thread traps while it applies an event.
package protocol TrapWatch: AnyObject {
    /// Watches the calling thread from now on, and no other.
    func moveHere()
}
