/// Takes a value, on whichever thread has one.
public typealias Consumer<Value> = @Sendable (Value) -> Void
