package import MobiusEngine

/// Decides when a durable loop's model is published: never before every event that led to it is on disk.
///
/// While there are watchers, it holds copies of the model until their commits. Without watchers it holds none, so that
/// an update in place does not copy the model.
package struct ModelPublisher<Model: Sendable> {
    private let watchers: ModelWatchers<Model>
    /// Whether the model changed since it was last published or copied.
    private var isNew = true
    /// Whether applied events have not been handed to the journal.
    private var hasUnappended = false
    private var appended: Ticket?
    private var committed: Ticket?
    private var copies: [(ticket: Ticket, model: Model)] = []

    /// The most copies that wait for a slow disk; beyond it, a newer copy replaces the last one.
    private static var limit: Int { 8 }

    /// Makes a publisher for these watchers.
    ///
    /// - Parameters:
    ///   - hasUnappended: Whether applied events have not been handed to the journal.
    ///   - appended: The ticket of the last append with events of the loop.
    ///   - committed: The newest ticket that is on disk.
    package init(
        _ watchers: ModelWatchers<Model>, hasUnappended: Bool = false, appended: Ticket? = nil, committed: Ticket? = nil
    ) {
        self.watchers = watchers
        self.hasUnappended = hasUnappended
        self.appended = appended
        self.committed = committed
    }

    /// Whether nothing remains to be published, now or after the next commit.
    package var isSettled: Bool { !isNew && copies.isEmpty && !watchers.demand.isWaiting }

    /// Whether there are no watchers.
    package var hasNoWatchers: Bool { !watchers.demand.isThere }

    /// An event was applied; `changed` is whether the model changed.
    package mutating func applied(changed: Bool) {
        hasUnappended = true
        if changed { isNew = true }
    }

    /// All events applied so far were handed to the journal with this ticket.
    package mutating func appended(_ ticket: Ticket, _ model: @autoclosure () -> Model) {
        hasUnappended = false
        appended = ticket
        guard isNew, watchers.demand.isThere else { return }
        if copies.count == Self.limit { copies.removeLast() }
        copies.append((ticket, model()))
        isNew = false
    }

    /// All records up to this ticket are on disk.
    package mutating func committed(_ ticket: Ticket) {
        committed = ticket
        guard let newest = copies.lastIndex(where: { $0.ticket <= ticket }) else { return }
        watchers.publish(copies[newest].model, toAll: true)
        copies.removeFirst(newest + 1)
    }

    private var isOnDisk: Bool {
        guard let appended else { return true }
        return committed.map { $0 >= appended } ?? false
    }

    /// Publishes the model if all its events are on disk and a watcher has not received it.
    package mutating func settle(_ model: @autoclosure () -> Model) {
        guard !hasUnappended, isOnDisk else { return }
        let demand = watchers.demand
        guard demand.isThere, isNew || demand.isWaiting else { return }
        watchers.publish(model(), toAll: isNew)
        isNew = false
    }
}
