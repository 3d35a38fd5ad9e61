/// Accepts values; may be called from any thread.
public typealias Consumer<Value> = @Sendable (Value) -> Void
