/// When a health command runs, and what its failures mean.
package struct HealthRule: Equatable, Sendable {
    /// The time from one answer to the next question, and from a start to the first.
    package var every: Duration = .seconds(10)
    /// A command that takes longer has failed.
    package var timeout: Duration = .seconds(5)
    /// After so many failures in a row the process is stopped, and starts again as its policy says.
    package var failures = 3
    /// Failures within this time after a start do not count, unless it was healthy before.
    package var start: Duration = .zero

    /// Makes the default rule: every 10 s, 5 s each, three failures.
    package init() {}
}
