package import MobiusEngine

/// Decides when a durable loop's model is shown: never before all that led to it is on disk.
///
/// While watched, it holds copies of the model that wait for their commits; unwatched, none, so that an update in place
/// finds the model unshared.
package struct ModelPublisher<Model: Sendable> {
    private let watchers: ModelWatchers<Model>
    /// Whether the model changed since it was last shown or copied, and whether events wait to be appended.
    private var isNew = true
    private var hasUnappended = false
    private var appended: Ticket?
    private var committed: Ticket?
    private var copies: [(ticket: Ticket, model: Model)] = []

    /// How many copies may wait, when the disk is slow: then the last gives way to newer ones.
    private static var limit: Int { 8 }

    /// Shows models to these.
    ///
    /// - Parameters:
    ///   - hasUnappended: Whether events were applied that are not on their way to the disk.
    ///   - appended: The ticket with which the last events went.
    ///   - committed: What is on disk.
    package init(
        _ watchers: ModelWatchers<Model>, hasUnappended: Bool = false, appended: Ticket? = nil, committed: Ticket? = nil
    ) {
        self.watchers = watchers
        self.hasUnappended = hasUnappended
        self.appended = appended
        self.committed = committed
    }

    /// Whether there is nothing to show, now or after the next commit.
    package var isSettled: Bool { !isNew && copies.isEmpty && !watchers.audience.isWaiting }

    /// Whether nobody watches any more.
    package var isAlone: Bool { !watchers.audience.isThere }

    /// An event was applied, which changed the model or not.
    package mutating func applied(changed: Bool) {
        hasUnappended = true
        if changed { isNew = true }
    }

    /// All events applied so far are on their way to the disk.
    package mutating func appended(_ ticket: Ticket, _ model: @autoclosure () -> Model) {
        hasUnappended = false
        appended = ticket
        guard isNew, watchers.audience.isThere else { return }
        if copies.count == Self.limit { copies.removeLast() }
        copies.append((ticket, model()))
        isNew = false
    }

    /// All up to this ticket is on disk.
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

    /// Shows the model, if it is news for somebody, as soon as nothing waits for the disk.
    package mutating func settle(_ model: @autoclosure () -> Model) {
        guard !hasUnappended, isOnDisk else { return }
        let audience = watchers.audience
        guard audience.isThere, isNew || audience.isWaiting else { return }
        watchers.publish(model(), toAll: isNew)
        isNew = false
    }
}
