/// Wraps a consumer in another one, for instance to hop to a queue or to drop values.
public typealias ConsumerTransformer<Value> = @Sendable (@escaping Consumer<Value>) -> Consumer<Value>
