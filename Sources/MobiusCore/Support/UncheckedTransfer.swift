/// Carries a value of the user's to the thread that handles it.
///
/// Unchecked, because models, events and effects need not be `Sendable` in a plain loop (apps written before Swift 6
/// have none that are): their author gives them away when `update` returns them, and nobody here reads them twice at
/// a time. What leaves the process is `Sendable` by the requirements of ``LoopProgram``.
struct UncheckedTransfer<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) {
        self.value = value
    }
}
