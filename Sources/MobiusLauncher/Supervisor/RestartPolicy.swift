/// The rule for restarts of a process that ended: exponential backoff, reset after a healthy period, up to a limit.
package struct RestartPolicy: Equatable, Sendable {
    /// The ends after which a process is restarted; raw values are the words in the topology file.
    package enum Condition: String, CaseIterable, Sendable {
        case always
        /// After any end except exit code 0, and after a stop because of failed health checks.
        case onFailure = "on-failure"
        /// After an end by a signal, and after a stop because of failed health checks.
        case onCrash = "on-crash"
        case never
    }

    /// The ends after which it is restarted.
    package var condition = Condition.always
    /// The maximum number of restarts within ``within``; the next end in that time ends the fleet.
    package var times = 10
    /// See ``times``.
    package var within: Duration = .seconds(60)
    /// The pause before the first restart.
    package var first: Duration = .milliseconds(100)
    /// The longest pause.
    package var longest: Duration = .seconds(5)
    /// A process that ran this long counts as healthy: the pause before its next restart is `first` again.
    package var health: Duration = .seconds(10)

    /// The default policy: always, after 100 ms, doubling up to 5 s, reset after 10 s; 10 times a minute.
    package init() {}

    /// Whether a process is restarted after this end.
    package func wants(_ termination: Termination, wasUnhealthy: Bool) -> Bool {
        switch (condition, termination) {
        case (.always, _), (.onFailure, .signaled), (.onCrash, .signaled): true
        case (.onFailure, .exited(let code)): code != 0 || wasUnhealthy
        case (.onCrash, .exited): wasUnhealthy
        case (.never, _): false
        }
    }

    /// The pause before the next restart.
    ///
    /// - Parameters:
    ///   - previous: The pause before the last start; nil when the process was not restarted before.
    ///   - lived: The time that the process ran.
    package func delay(after previous: Duration?, lived: Duration) -> Duration {
        guard let previous, lived < health else { return first }
        return min(previous * 2, longest)
    }
}
