import MobiusCodec
import MobiusWire

/// State shared by all attempts at one router's effects in one process.
final class HandlerEnvironment: Sendable {
    let handlers: any TypedHandlers
    let executor: HandlerExecutor
    let deliver: @Sendable (consuming HandlerOutcome) -> Void
    /// Begins a span for each attempt when tracing is on.
    let tracer = AttemptTracer()

    init(
        _ handlers: any TypedHandlers, executor: HandlerExecutor,
        deliver: @escaping @Sendable (consuming HandlerOutcome) -> Void
    ) {
        self.handlers = handlers
        self.executor = executor
        self.deliver = deliver
    }

    /// A copy for new attempts after all earlier ones were abandoned: attempts that wait for their turn never begin.
    func emptyCopy() -> HandlerEnvironment {
        HandlerEnvironment(handlers.emptyCopy(), executor: executor, deliver: deliver)
    }
}

/// The handlers of one router, with their types erased.
protocol TypedHandlers: AnyObject, Sendable {
    /// The content types that they decode and encode.
    var contentTypes: [String] { get }
    /// The payload kinds of the effects, one for each content type.
    var effectKinds: [PayloadKind] { get }
    /// Runs the handler of an attempt's effect and reports its outcome to the attempt; `scratch` is the thread's memory
    /// for coding.
    func start(_ run: EffectRun, _ scratch: inout CodingScratch)
    /// The same handlers with no running or waiting effects; effects that wait here never begin.
    func emptyCopy() -> any TypedHandlers
}
