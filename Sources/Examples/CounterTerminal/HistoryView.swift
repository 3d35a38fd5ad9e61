public import Counter
public import MobiusCore
import Synchronization

/// The view that shows the numbers so far, newest last; it sends no events.
public final class HistoryView: Connectable {
    /// The models that it shows.
    public typealias Input = Counter.Model
    /// The events of the loop; it sends none.
    public typealias Output = Counter.Event

    private let screen: Screen
    private let length: Int
    private let counts = Mutex<[Int]>([])

    /// A view that is not connected yet, of the newest `length` numbers.
    public init(on screen: Screen, length: Int = 12) {
        self.screen = screen
        self.length = length
    }

    /// Shows the models of a loop from now on, after those of the loops before.
    @preconcurrency
    public func connect(_ consumer: @escaping Consumer<Counter.Event>) -> Connection<Counter.Model> {
        Connection(acceptClosure: { [self] model in show(model) }, disposeClosure: {})
    }

    /// Adds the model's number, if it has changed.
    public func show(_ model: Counter.Model) {
        let text: String? = counts.withLock { counts in
            guard counts.last != model.count else { return nil }
            counts = (counts + [model.count]).suffix(length)
            return counts.map(String.init).joined(separator: " ")
        }
        if let text { screen.show(text, in: "history") }
    }
}
