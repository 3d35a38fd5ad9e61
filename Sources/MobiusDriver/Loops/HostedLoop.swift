package import MobiusCore
import MobiusEngine
import MobiusJournal
package import MobiusWire

/// A loop that a host runs: its model, its snapshot policy, and its model publisher.
package final class HostedLoop<Program: LoopProgram> {
    package let id: LoopID
    package let typed: GuardedLoop<Program>
    // Unchecked, because both are used for each event: nothing else runs while one is changed.
    @exclusivity(unchecked) var snapshots: SnapshotPolicy
    /// Set while there are watchers.
    @exclusivity(unchecked) var models: ModelPublisher<Program.Model>?
    /// The text before the names of its facts; `nil` when they are not written.
    let factPrefix: String?
    /// The facts that were handed to the journal with its last events; `nil` before the first.
    var facts: [StoredFact]?
    /// Whether it is in the host's list of loops with models to publish.
    var isShowing = false
    /// Whether the journal has it as idle, as far as all records say that were handed over.
    var isParked = false
    /// Whether applied events have not been handed to the journal.
    private(set) var hasUnappended = false
    private var appended: Ticket?

    init(_ prepared: PreparedLoop<Program>, snapshotBytes: Int, factPrefix: String?) {
        id = prepared.loop.id
        self.factPrefix = factPrefix
        typed = prepared.loop
        snapshots = SnapshotPolicy(
            lastBytes: prepared.snapshotBytes, tailBytes: prepared.stats.bytes, minimumBytes: snapshotBytes)
    }

    /// Notes that an event was applied.
    ///
    /// - Returns: whether it is the first one since the last append.
    func applied(changed: Bool) -> Bool {
        models?.applied(changed: changed)
        defer { hasUnappended = true }
        return !hasUnappended
    }

    /// Records with these bytes are handed to the journal.
    func appended(bytes: Int) {
        snapshots.appended(bytes: bytes)
        isParked = false
    }

    /// All events applied so far were handed to the journal with this ticket.
    func appended(with ticket: Ticket) {
        hasUnappended = false
        appended = ticket
        models?.appended(ticket, typed.model)
    }

    /// Publishes its models to these watchers from now on.
    func show(to watchers: ModelWatchers<Program.Model>, committed: Ticket?) {
        guard models == nil else { return }
        models = ModelPublisher(watchers, hasUnappended: hasUnappended, appended: appended, committed: committed)
    }

    /// Publishes the models whose events are on disk.
    ///
    /// - Returns: whether more remains to be published without another event.
    func publish(committed: Ticket?) -> Bool {
        guard models != nil else { return false }
        if let committed { models?.committed(committed) }
        models?.settle(typed.model)
        // Without watchers no copy is kept, so that an update in place does not copy the model.
        if models?.hasNoWatchers ?? true { models = nil }
        return !(models?.isSettled ?? true)
    }
}
