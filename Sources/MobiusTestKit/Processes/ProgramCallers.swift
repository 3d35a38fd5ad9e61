package import MobiusDriver

/// The record of which process calls the program.
package final class ProgramCallers {
    /// The breadcrumbs of the process that does; `nil` while the world itself calls it, and where no program traps.
    package private(set) var running: (any Breadcrumbs)?

    /// Runs `body` as a step of the process with these breadcrumbs; with `nil`, as one of the world.
    package func run<Result, Failure>(
        _ breadcrumbs: (any Breadcrumbs)?, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let before = running
        running = breadcrumbs
        defer { running = before }
        return try body()
    }
}
