/// Something outside a loop that sends events to it: a timer, a sensor, a socket.
@preconcurrency
public protocol EventSource: AnyObject, Sendable {
    /// The events that it sends.
    associatedtype Event

    /// Starts to send events to `consumer`, which may be called from any thread, until the result is disposed of.
    @preconcurrency
    func subscribe(consumer: @escaping Consumer<Event>) -> any Disposable
}
