/// Something that can be connected to a consumer of its outputs and that then accepts inputs.
///
/// Effect handlers, event sources and views all have this shape: a handler accepts effects and sends events.
@preconcurrency
public protocol Connectable: Sendable {
    /// The type of values that an open connection accepts.
    associatedtype Input
    /// The type of values that are sent to the consumer.
    associatedtype Output

    /// Opens a connection that sends its outputs to `consumer`.
    ///
    /// `consumer` may be called from any thread until the connection is disposed of; later values are ignored.
    @preconcurrency
    func connect(_ consumer: @escaping Consumer<Output>) -> Connection<Input>
}
