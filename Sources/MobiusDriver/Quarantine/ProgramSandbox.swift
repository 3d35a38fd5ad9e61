import MobiusEngine

/// Runs the program's code in another process: if that code traps or never returns, only that process ends.
///
/// It is for what a reader asks for, which the coordinator can do without: models of the past, hostile payloads, the forms of
/// types.
package protocol ProgramSandbox: Sendable {
    /// Lets a new process do an errand, and waits for its answer on the calling thread.
    ///
    /// - Parameter feed: Called once, with what sends a message to the process.
    /// - Throws: ``SandboxFailure`` when the process ended or took too long; what `feed` throws.
    func run(_ errand: ProgramErrand, _ feed: (_ send: ([UInt8]) throws -> Void) throws -> Void) throws -> [UInt8]

    /// Calls `body` on a thread that may wait for processes, after earlier calls.
    func aside(_ body: @escaping @Sendable () -> Void)
}

/// The reason why another process has no answer.
package struct SandboxFailure: Error, Equatable {
    /// The failure, as a clause.
    package let reason: String
    /// Whether another attempt would fail, too.
    package let isFinal: Bool

    /// Describes a failure.
    package init(_ reason: String, isFinal: Bool) {
        self.reason = reason
        self.isFinal = isFinal
    }
}

/// The knowledge about the program's types, and the requests that wait for it.
struct SchemaState {
    var result: Result<[UInt8], SandboxFailure>?
    var waiting: [RequestID] = []
}
