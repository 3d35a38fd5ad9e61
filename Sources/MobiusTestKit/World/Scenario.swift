package import MobiusCore
package import MobiusEngine
package import MobiusWire

/// A program and its surroundings, ready to run in a ``World``.
package struct Scenario<Program: LoopProgram> {
    /// The places in which worker processes run, one after the other.
    package struct Place: Sendable {
        package var pools: [String]
        package var capacity: Int
        /// What processes there are called, but for their number; `nil` for the place's own number.
        package var name: String?
        /// The handlers of a process that begins there; `nil` where handlers are scripted.
        package var handlers: (@Sendable () -> EffectRouter<Program.Effect, Program.Event>)?

        package init(
            pools: [String], capacity: Int,
            handlers: (@Sendable () -> EffectRouter<Program.Effect, Program.Event>)? = nil
        ) {
            self.pools = pools
            self.capacity = capacity
            self.handlers = handlers
        }
    }

    /// One event from outside, which its sender repeats until it is confirmed.
    package struct Request {
        package var loop: LoopID
        package var key: String
        /// `nil` stands for bytes that are no event.
        package var event: Program.Event?
        /// When it is sent first, after the start of the run.
        package var after: Duration

        package init(loop: LoopID, key: String, event: Program.Event?, after: Duration) {
            self.loop = loop
            self.key = key
            self.event = event
            self.after = after
        }
    }

    /// The loops that begin with the run.
    package var loops: [LoopID] = [.main]
    /// Where loops start.
    package var first: () -> First<Program.Model, Program.Effect> = Program.initiate
    /// Where real handlers run; `nil` where handlers are scripted.
    package var stage: HandlerStage?
    package var routes: EffectRouter<Program.Effect, Program.Event>
    package var places: [Place]
    package var requests: [Request]
    /// Sent when nothing goes wrong any more: to end what repeats.
    package var farewell: [Request] = []
    /// Sent at the very end, to handlers that never answer: more than all workers can take at once.
    package var flood: [Request] = []
    /// What a handler does with an effect.
    package var handle: (Program.Effect, HandlerCall, inout Chance) -> [HandlerStep<Program.Event>]
    package var timing: SessionTiming
    package var maximumPayload: UInt32 = 4 << 20
    package var faults: FaultPlan
    /// Whether snapshots are made now and then.
    package var snapshots = true
    /// How many events from outside a coordinator takes in before it is busy.
    package var maximumIntake = 10_000
    /// How many of a hundred handlers do not listen when they are told to stop.
    package var deafness = 15
    /// Whether operators may try this effect again when it has failed for good.
    package var mayRevive: (Program.Effect) -> Bool = { _ in false }

    package init(
        routes: EffectRouter<Program.Effect, Program.Event>, places: [Place], requests: [Request],
        timing: SessionTiming, faults: FaultPlan,
        handle: @escaping (Program.Effect, HandlerCall, inout Chance) -> [HandlerStep<Program.Event>]
    ) {
        self.routes = routes
        self.places = places
        self.requests = requests
        self.timing = timing
        self.faults = faults
        self.handle = handle
    }
}

/// What a handler is told.
package struct HandlerCall: Sendable {
    package let id: AttemptID
    /// The process it runs in, such as `worker 1#3`, or `coordinator#2`.
    package let process: String

    /// The idempotency key.
    package var key: String { id.effect.description }
}

/// One step of a handler; between any two of them its process may end.
package enum HandlerStep<Event> {
    case wait(Duration)
    /// Does something in the world outside.
    case act(() -> Void)
    /// Says that the work goes on.
    case progress
    case send(Event)
    /// Sends bytes that are no event.
    case sendNonsense(bytes: Int)
    /// Ends, with a last event or without one.
    case finish(Event?)
    case finishWithNonsense(bytes: Int)
    case fail(retryable: Bool, delay: UInt32, reason: String)
    /// Never answers.
    case hang
}
