import MobiusEngine

/// How a host finds out the forms of its program's types: calls its argument once, from any thread.
///
/// It runs the types' `init(from:)` with samples. One that traps there must not trap the coordinator, so that a coordinator's
/// process has another process do it.
package typealias SchemaReading = @Sendable (@escaping @Sendable (Result<[UInt8], SchemaFailure>) -> Void) -> Void

/// Why the forms of a program's types are not known.
package struct SchemaFailure: Error, Equatable {
    /// What happened, as a clause.
    package let reason: String
    /// Whether another attempt would fail, too.
    package let isFinal: Bool

    /// Describes a failure.
    package init(_ reason: String, isFinal: Bool) {
        self.reason = reason
        self.isFinal = isFinal
    }
}

/// What was found out about the program's types, and who waits for it.
struct SchemaState {
    var result: Result<[UInt8], SchemaFailure>?
    var waiting: [RequestID] = []
}
