public import Counter
public import MobiusCore
import Synchronization

/// The view that shows the number, and sends the events of keys.
public final class CountView: Connectable {
    /// The models that it shows.
    public typealias Input = Counter.Model
    /// The events of keys.
    public typealias Output = Counter.Event

    private let screen: Screen
    private let consumer = Mutex<Consumer<Counter.Event>?>(nil)

    /// A view that is not connected yet.
    public init(on screen: Screen) {
        self.screen = screen
    }

    /// Shows the models of a loop from now on, and sends it events.
    @preconcurrency
    public func connect(_ consumer: @escaping Consumer<Counter.Event>) -> Connection<Counter.Model> {
        self.consumer.withLock { $0 = consumer }
        return Connection(
            acceptClosure: { [self] model in show(model) },
            disposeClosure: { [self] in self.consumer.withLock { $0 = nil } })
    }

    /// Shows a model.
    public func show(_ model: Counter.Model) {
        let complaint = model.complaint.map { "  (no sound: \($0))" } ?? ""
        screen.show("\(model.count)\(complaint)", in: "count")
    }

    /// Sends the key's event to the loop; keys without one, and those typed while no loop runs, are ignored.
    public func press(_ key: Key) {
        guard let event = Counter.Event(key) else { return }
        let consumer = consumer.withLock { $0 }
        consumer?(event)
    }
}

extension Counter.Event {
    /// The program's event for the key; nil for other keys.
    public init?(_ key: Key) {
        switch key {
        case .plus: self = .increment
        case .minus: self = .decrement
        case .pause, .quit: return nil
        }
    }
}
