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
    private let open = Mutex<(number: Int, consumer: Consumer<Counter.Event>?)>((0, nil))

    /// A view that is not connected yet.
    public init(on screen: Screen) {
        self.screen = screen
    }

    /// Shows the models of a loop from now on, and sends it events.
    @preconcurrency
    public func connect(_ consumer: @escaping Consumer<Counter.Event>) -> Connection<Counter.Model> {
        let number = open.withLock { open in
            open = (open.number + 1, consumer)
            return open.number
        }
        return Connection(
            acceptClosure: { [self] model in show(model) },
            disposeClosure: { [self] in
                open.withLock { open in
                    // The next run of the controller may have connected the view already.
                    if open.number == number { open.consumer = nil }
                }
            })
    }

    /// Shows a model.
    public func show(_ model: Counter.Model) {
        let complaint = model.complaint.map { "  (no sound: \($0))" } ?? ""
        screen.show("\(model.count)\(complaint)", in: "count")
    }

    /// Sends the key's event to the loop; keys without one, and those typed while no loop runs, are ignored.
    public func press(_ key: Key) {
        guard let event = Counter.Event(key) else { return }
        let consumer = open.withLock { $0.consumer }
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
