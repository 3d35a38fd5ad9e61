/// The policy of a route that leaves the process, if it is the same for all its effects.
package final class FixedPolicy: Sendable {
    /// The value of the runtime that made the route, which alone uses its type.
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
    /// The value of the runtime that made the route, which alone uses its type.
    package let policy: any Sendable

    /// The policy that bounds how many effects of the route run at a time.
    package let execution: ExecutionPolicy

    /// Converts a value of the runtime, such as a failure, into the user's event.
    package let answer: @Sendable (any Sendable) -> Event?
}
