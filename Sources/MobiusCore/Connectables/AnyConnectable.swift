/// A connectable whose type is known by its input and output only.
public struct AnyConnectable<Input, Output>: Connectable {
    @usableFromInline let connectClosure: @Sendable (@escaping Consumer<Output>) -> Connection<Input>

    /// Wraps `connectable`.
    @inlinable
    public init<C: Connectable>(_ connectable: C) where C.Input == Input, C.Output == Output {
        connectClosure = { consumer in connectable.connect(consumer) }
    }

    /// A connectable made of the function that opens its connections.
    @preconcurrency
    @inlinable
    public init(_ connect: @escaping @Sendable (@escaping Consumer<Output>) -> Connection<Input>) {
        connectClosure = connect
    }

    /// Opens a connection of the connectable inside.
    @preconcurrency
    @inlinable
    public func connect(_ consumer: @escaping Consumer<Output>) -> Connection<Input> {
        connectClosure(consumer)
    }
}
