import MobiusCodec
import MobiusTracing
import MobiusWire

/// What all attempts at one router's effects share, in one process.
final class HandlerSetting: Sendable {
    let handlers: any TypedHandlers
    let surroundings: HandlerSurroundings
    let deliver: @Sendable (consuming HandlerOutcome) -> Void
    /// Who begins a span for each attempt, if anybody traces.
    let tracer = AttemptTracer()

    init(
        _ handlers: any TypedHandlers, surroundings: HandlerSurroundings,
        deliver: @escaping @Sendable (consuming HandlerOutcome) -> Void
    ) {
        self.handlers = handlers
        self.surroundings = surroundings
        self.deliver = deliver
    }

    /// The same for attempts that know nothing of those before, which are all over: none that waits begins any more.
    func reopened() -> HandlerSetting {
        HandlerSetting(handlers.reopened(), surroundings: surroundings, deliver: deliver)
    }
}

/// The handlers of one router, as attempts see them: without their types.
protocol TypedHandlers: AnyObject, Sendable {
    /// The codings that they read, and answer in.
    var contentTypes: [String] { get }
    /// What the effects are that they read, in each of these codings.
    var effectKinds: [PayloadKind] { get }
    /// Runs the handler of an attempt's effect, and tells the attempt how it goes; codes with the thread's memory.
    func start(_ run: EffectRun, _ scratch: inout CodingScratch)
    /// The same handlers, where nothing waits and nothing is under way; those that wait here never begin.
    func reopened() -> any TypedHandlers
}
