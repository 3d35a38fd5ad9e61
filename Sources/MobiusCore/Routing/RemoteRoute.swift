/// The policy of a route that leaves the process and says the same of all its effects.
package final class FixedPolicy: Sendable {
    /// What the runtime that made the route needs to know; only that runtime knows its type.
    package let policy: any Sendable

    init(_ policy: any Sendable) {
        self.policy = policy
    }
}

/// A route that leaves the process: this room knows nothing of the way, it only keeps what the user said of it.
@usableFromInline
package struct RemoteRoute<Event>: Sendable {
    /// What the runtime that made the route needs to know; only that runtime knows its type.
    package let policy: any Sendable

    /// How the effects of the route share their time.
    package let execution: ExecutionPolicy

    /// Turns what the runtime tells, such as a failure, of types that it knows, into the event that the user wants of it.
    package let answer: @Sendable (any Sendable) -> Event?
}
