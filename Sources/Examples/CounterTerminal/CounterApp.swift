public import Counter
public import MobiusCore
public import ServiceLifecycle

/// The counter in a controller with two views at the terminal, from the first key to the last.
///
/// `+` and `-` are events of the program. `p` stops the controller, and starts it again from the last model; `q`, the end
/// of the input and a graceful shutdown end it.
public struct CounterApp: Service {
    /// A loop of the counter, without its first model.
    public typealias Loop = Mobius.Builder<Counter.Model, Counter.Event, Counter.Effect>

    private let loop: Loop
    private let screen: Screen
    private let state: StateFile?

    /// Describes an app that does not run yet.
    ///
    /// - Parameters:
    ///   - state: The place where the model is kept between runs; nil for none.
    public init(_ loop: Loop, on screen: Screen, state: StateFile?) {
        self.loop = loop
        self.screen = screen
        self.state = state
    }

    /// Runs until the last key; once only.
    ///
    /// - Throws: `FleetExit` when the state file cannot be read or written.
    public func run() async throws {
        let model = try state?.load() ?? Counter.initiate().model
        // A file that cannot be written is detected at the start, not at the end.
        try state?.save(model)
        let run = CounterRun(loop, from: model, on: screen, state: state)
        let keyboard = Keyboard()
        defer { keyboard.close() }
        run.start()
        screen.tellKeys("+ more, - less, p pause, q quit")
        try await cancelWhenGracefulShutdown { try await run.obey(keyboard) }
        // First, because the rest may take a moment, in which a second signal ends the process.
        keyboard.close()
        try run.end()
    }
}
