/// When a process that ended starts again: exponential backoff, forgotten after a time of health; and when never again.
package struct RestartPolicy: Equatable, Sendable {
    /// After which ends it starts again at all; raw values are the topology's words.
    package enum Condition: String, CaseIterable, Sendable {
        case always
        /// After any end but exit code 0, and when it was stopped because it was unhealthy.
        case onFailure = "on-failure"
        /// After an end by a signal, and when it was stopped because it was unhealthy.
        case onCrash = "on-crash"
        case never
    }

    /// After which ends.
    package var condition = Condition.always
    /// So many restarts within ``within`` are made; the next end in that time ends the fleet.
    package var times = 10
    /// See ``times``.
    package var within: Duration = .seconds(60)
    /// The wait before the first restart.
    package var first: Duration = .milliseconds(100)
    /// The longest wait.
    package var longest: Duration = .seconds(5)
    /// A process that lived this long counts as healthy: its next restart waits `first` again.
    package var health: Duration = .seconds(10)

    /// Makes the default policy: always, after 100 ms, doubling up to 5 s, forgotten after 10 s; 10 times a minute.
    package init() {}

    /// Whether a process starts again after such an end.
    package func wants(_ termination: Termination, wasUnhealthy: Bool) -> Bool {
        switch (condition, termination) {
        case (.always, _), (.onFailure, .signaled), (.onCrash, .signaled): true
        case (.onFailure, .exited(let code)): code != 0 || wasUnhealthy
        case (.onCrash, .exited): wasUnhealthy
        case (.never, _): false
        }
    }

    /// The wait before the next start.
    ///
    /// - Parameters:
    ///   - previous: The wait before the start that just ended in death; nil when there was none.
    ///   - lived: How long the process lived.
    package func delay(after previous: Duration?, lived: Duration) -> Duration {
        guard let previous, lived < health else { return first }
        return min(previous * 2, longest)
    }
}
