package import MobiusCore
import MobiusEngine
package import MobiusProgram
package import MobiusWire

/// A loop that a host runs: its model, when to keep a snapshot of it, and when to show it.
package final class HostedLoop<Program: LoopProgram> {
    package let typed: TypedLoop<Program>
    // Unchecked, as both are there for each event: nobody gets there while one is changed.
    @exclusivity(unchecked) var snapshots: SnapshotPolicy
    /// While somebody watches.
    @exclusivity(unchecked) var models: ModelPublisher<Program.Model>?
    /// Whether it waits in the host's list of those with something to show.
    var isShowing = false
    /// Whether events were applied that are not on their way to the disk.
    private(set) var hasUnappended = false
    private var appended: Ticket?

    init(_ prepared: PreparedLoop<Program>, snapshotBytes: Int) {
        typed = prepared.loop
        snapshots = SnapshotPolicy(
            lastBytes: prepared.snapshotBytes, tailBytes: prepared.tail.bytes, minimumBytes: snapshotBytes)
    }

    package var id: LoopID { typed.id }

    /// Notes that an event was applied.
    ///
    /// - Returns: whether it is the first one since the last append.
    func applied(changed: Bool) -> Bool {
        models?.applied(changed: changed)
        defer { hasUnappended = true }
        return !hasUnappended
    }

    /// All events applied so far are on their way to the disk.
    func wentToDisk(with ticket: Ticket) {
        hasUnappended = false
        appended = ticket
        models?.appended(ticket, typed.model)
    }

    /// Shows its models to these from now on.
    func show(to watchers: ModelWatchers<Program.Model>, committed: Ticket?) {
        guard models == nil else { return }
        models = ModelPublisher(watchers, hasUnappended: hasUnappended, appended: appended, committed: committed)
    }

    /// Shows what may be shown.
    ///
    /// - Returns: whether more is to come without another event.
    func showNews(committed: Ticket?) -> Bool {
        guard models != nil else { return false }
        if let committed { models?.committed(committed) }
        models?.settle(typed.model)
        // Without watchers it keeps nothing: an update in place then finds the model unshared.
        if models?.isAlone ?? true { models = nil }
        return !(models?.isSettled ?? true)
    }
}
