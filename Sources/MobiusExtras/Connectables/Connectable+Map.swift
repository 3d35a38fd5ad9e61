public import MobiusCore

extension Connectable {
    /// The connectable with its outputs changed by `transform`, for instance a child's effect handler in its parent.
    ///
    /// `transform` is called on the thread that sends the output.
    @preconcurrency
    public func map<NewOutput>(
        _ transform: @escaping @Sendable (Output) -> NewOutput
    ) -> AnyConnectable<Input, NewOutput> {
        AnyConnectable { consumer in
            connect { output in consumer(transform(output)) }
        }
    }

    /// The connectable with `transform` before its inputs, for instance a view that shows a part of the model.
    ///
    /// `transform` is called on the thread that passes the input.
    @preconcurrency
    public func contramap<NewInput>(
        _ transform: @escaping @Sendable (NewInput) -> Input
    ) -> AnyConnectable<NewInput, Output> {
        AnyConnectable { consumer in
            let connection = connect(consumer)
            return Connection(
                acceptClosure: { input in connection.accept(transform(input)) },
                disposeClosure: { connection.dispose() })
        }
    }
}
