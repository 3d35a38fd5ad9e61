import Dispatch
import MobiusCore

extension LoopCase {
    static let controllers = [
        LoopCase(
            name: "controller-event", batch: 4000, makeFloor: { bareCounter(isObserved: true) },
            makeOurs: throughController),
        // The same beside what the two queues of a controller cost when each event and each model hops by itself.
        LoopCase(
            name: "controller-event-beside-queues", batch: 4000, makeFloor: throughQueues,
            makeOurs: throughController),
    ]

    /// Sends events as a view does, and waits until the last model has reached the view.
    private static func throughController() -> Batch {
        let view = CounterView()
        let controller = CounterCode.make().loop.makeController(
            from: CounterModel(), loopQueue: .global(qos: .userInitiated), viewQueue: DispatchQueue(label: "view"))
        controller.connectView(view)
        controller.start()
        var sent = 0
        return { events in
            sent += events
            withExtendedLifetime(controller) { view.send(events, until: sent) }
        }
    }

    private static func throughQueues() -> Batch {
        let (code, view) = (CounterCode.make(), CounterView())
        let loopQueue = DispatchQueue(label: "loop", target: .global(qos: .userInitiated))
        let viewQueue = DispatchQueue(label: "view")
        let model = Kept(CounterModel())
        _ = view.connect { event in
            loopQueue.async {
                guard let new = code.update(model.value, event).model else { return }
                model.value = new
                viewQueue.async { view.show(new) }
            }
        }
        var sent = 0
        return { events in
            sent += events
            view.send(events, until: sent)
        }
    }
}

/// Touched on one queue only.
private final class Kept<Value>: @unchecked Sendable {
    var value: Value

    init(_ value: Value) {
        self.value = value
    }
}

/// A view that is tapped by whoever measures.
// Unchecked: the consumer is set before the first event, the target before the events that lead there.
private final class CounterView: Connectable, @unchecked Sendable {
    private var consumer: Consumer<CounterEvent> = { _ in }
    private var target = 0
    private let reached = DispatchSemaphore(value: 0)

    func connect(_ consumer: @escaping Consumer<CounterEvent>) -> Connection<CounterModel> {
        self.consumer = consumer
        return Connection(acceptClosure: { model in self.show(model) }, disposeClosure: {})
    }

    func show(_ model: CounterModel) {
        if model.count == target { reached.signal() }
    }

    /// Sends `events` and waits until the view shows `count`.
    func send(_ events: Int, until count: Int) {
        target = count
        for _ in 0..<events { consumer(.increment) }
        reached.wait()
    }
}
