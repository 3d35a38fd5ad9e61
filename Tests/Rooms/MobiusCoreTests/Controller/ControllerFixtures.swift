import Dispatch
import MobiusCore

/// A view that records its models, on the view queue, and sends events when told to.
final class RecordingView: Connectable {
    let told: Recorder<String>
    private let consumers = Recorder<Consumer<String>>()
    private let queue: DispatchQueue?

    /// A view; it traps if it gets a model elsewhere than on `queue`.
    init(_ told: Recorder<String> = Recorder(), on queue: DispatchQueue? = nil) {
        self.told = told
        self.queue = queue
    }

    func connect(_ consumer: @escaping Consumer<String>) -> Connection<String> {
        consumers.record(consumer)
        return Connection(
            acceptClosure: { [told, queue] model in
                if let queue { dispatchPrecondition(condition: .onQueue(queue)) }
                told.record(model)
            },
            disposeClosure: { [told] in told.record("disposed") })
    }

    /// Sends an event through the last connection.
    func send(_ event: String) {
        consumers.values.last?(event)
    }

    /// Sends an event through a connection of an earlier run.
    func send(_ event: String, run: Int) {
        consumers.values[run](event)
    }
}

/// The queues of a test's controllers.
struct Queues {
    let loop = DispatchQueue(label: "test.loop")
    let view = DispatchQueue(label: "test.view")

    /// Waits until all that was sent before has been handled: by the loop, then by the views.
    func settle() {
        for _ in 0..<3 {
            loop.sync {}
            view.sync {}
        }
    }
}

extension Mobius.Builder where Model == String, Event == String, Effect == String {
    func makeController(
        on queues: Queues, initiate: Initiate<String, String>? = nil
    ) -> MobiusController<String, String, String> {
        makeController(from: "S", initiate: initiate, loopQueue: queues.loop, viewQueue: queues.view)
    }
}
