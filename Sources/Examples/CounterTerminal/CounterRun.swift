import Counter
import Dispatch
import MobiusCore

/// The controller of an app, its views and its keys.
struct CounterRun: Sendable {
    private let controller: MobiusController<Counter.Model, Counter.Event, Counter.Effect>
    private let queues = Queues()
    private let count: CountView
    private let screen: Screen
    private let state: StateFile?

    /// Connects the views; nothing runs yet.
    init(_ loop: CounterApp.Loop, from model: Counter.Model, on screen: Screen, state: StateFile?) {
        self.screen = screen
        self.state = state
        count = CountView(on: screen)
        controller = loop.makeController(
            from: model, initiate: Counter.resume, loopQueue: queues.loop, viewQueue: queues.view)
        controller.connectView(count)
        controller.connectView(HistoryView(on: screen))
    }

    /// Starts from the last model, and returns when it is shown.
    func start() {
        controller.start()
        queues.settle()
    }

    /// Stops after the last model has been shown and saved.
    func stop() throws {
        queues.settle()
        controller.stop()
        try state?.save(controller.model)
    }

    /// Stops, unless it is paused.
    func end() throws {
        if controller.running { try stop() }
    }

    /// Handles the keys, until `q` or the end of the input.
    func obey(_ keyboard: Keyboard) async throws {
        for await key in keyboard.keys {
            switch key {
            case .plus, .minus:
                count.press(key)
            case .pause where controller.running:
                try stop()
                screen.show("paused", in: "state")
            case .pause:
                start()
                screen.show("running", in: "state")
            case .quit:
                return
            }
        }
    }
}

/// The queues of a controller, with a way to wait for them.
private struct Queues {
    let loop = DispatchQueue(label: "counter.loop")
    let view = DispatchQueue(label: "counter.view")

    /// Returns when the events sent so far are applied and shown.
    ///
    /// A controller's stop drops models that are queued for the views. Here they must be shown, also to a program that
    /// reads the output.
    func settle() {
        loop.sync {}
        view.sync {}
    }
}
