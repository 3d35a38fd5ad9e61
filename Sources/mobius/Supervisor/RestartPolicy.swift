/// When a process that died starts again: exponential backoff, forgotten after a time of health.
///
/// Room for later rules (so many restarts in so many seconds, then give up) is here and nowhere else.
package struct RestartPolicy: Equatable, Sendable {
    /// The wait before the first restart.
    package var first: Duration = .milliseconds(100)
    /// The longest wait.
    package var longest: Duration = .seconds(5)
    /// A process that lived this long counts as healthy: its next restart waits `first` again.
    package var health: Duration = .seconds(10)

    /// Makes the default policy: 100 ms, doubling up to 5 s, forgotten after 10 s.
    package init() {}

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
