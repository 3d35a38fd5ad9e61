/// The schedule of a process's health checks, and the treatment of failures.
package struct HealthRule: Equatable, Sendable {
    /// The pause from a result to the next check, and from a start to the first check.
    package var every: Duration = .seconds(10)
    /// A check that takes longer has failed.
    package var timeout: Duration = .seconds(5)
    /// After this number of failures in a row the process is stopped; its restart policy then applies.
    package var failures = 3
    /// Failures within this time after a start do not count, unless the process was healthy before.
    package var start: Duration = .zero

    /// The default rule: every 10 s, 5 s each, three failures.
    package init() {}
}
