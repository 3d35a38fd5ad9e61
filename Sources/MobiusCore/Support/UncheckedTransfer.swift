/// Transfers a user's value to the thread that handles it.
///
/// Unchecked, because models, events and effects need not be `Sendable` in a plain loop (apps written before Swift 6
/// have none that are): the user gives them up when `update` returns them, and one thread at a time uses them. Values
/// that leave the process are `Sendable` by the requirements of ``LoopProgram``.
struct UncheckedTransfer<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) {
        self.value = value
    }
}
