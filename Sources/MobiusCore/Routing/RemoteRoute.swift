/// The policy of a route that leaves the process, if it is the same for all its effects.
package final class FixedPolicy: Sendable {
    /// What the runtime that made the route needs to know; only that runtime knows its type.
    package let policy: any Sendable

    init(_ policy: any Sendable) {
        self.policy = policy
    }
}

/// A route that leaves the process.
///
/// This module only stores the user's settings; another one implements the route.
@usableFromInline
package struct RemoteRoute<Event>: Sendable {
    /// What the runtime that made the route needs to know; only that runtime knows its type.
    package let policy: any Sendable

    /// How many effects of the route run at a time.
    package let execution: ExecutionPolicy

    /// Converts a value of the runtime, such as a failure, into the user's event.
    package let answer: @Sendable (any Sendable) -> Event?
}
