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
    package init(_ watchers: ModelWatchers<Model>) {
        self.watchers = watchers
    }

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

    /// Shows the model, if it is news for somebody, as soon as nothing waits for the disk.
    package mutating func settle(_ model: @autoclosure () -> Model) {
        guard !hasUnappended, appended == committed else { return }
        let audience = watchers.audience
        guard audience.isThere, isNew || audience.isWaiting else { return }
        watchers.publish(model(), toAll: isNew)
        isNew = false
    }
}
