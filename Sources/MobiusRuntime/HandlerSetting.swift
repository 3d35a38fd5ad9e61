import MobiusCore
import MobiusProgram
import MobiusTracing
import MobiusWire

/// One attempt at an effect, as whoever runs many of them sees it.
///
/// Without its types: generic code of another module is slow, and all but the handler itself needs none of them.
protocol AttemptRun: AnyObject, Sendable {
    var context: EffectContext { get }
    /// The attempt's span, if anybody traces.
    var span: AttemptSpan? { get }
    /// Runs the handler, once its route's policy allows.
    func begin()
    /// Asks the handler to stop; what it says until it has ended is delivered.
    func cancel()
    /// Asks the handler to stop, and delivers nothing more.
    func abandon()
}

/// Makes the attempts of one router's effects.
protocol AttemptSource: AnyObject, Sendable {
    /// The codings that it reads, and answers in.
    var contentTypes: [String] { get }
    /// Whether each attempt has a span.
    var isTracing: Bool { get }
    func attempt(_ order: EffectOrder, _ context: EffectContext) -> any AttemptRun
    /// The same for attempts that know nothing of those before, which are all over: none that waits begins any more.
    func reopened() -> any AttemptSource
}

/// What all attempts at one router's effects share, in one process.
final class HandlerSetting<Effect: Codable & Sendable, Event: Codable & Sendable>: AttemptSource {
    /// Which effects wait for their turn and can be cancelled.
    let router: OpenRouter<Effect, Event>
    let effects = TypedCoding<Effect>.json()
    let events = TypedCoding<Event>.json()
    let surroundings: HandlerSurroundings
    let deliver: @Sendable (HandlerOutcome) -> Void
    /// Who begins a span for each attempt, if anybody traces.
    let tracer = AttemptTracer()

    init(
        router: EffectRouter<Effect, Event>, surroundings: HandlerSurroundings,
        deliver: @escaping @Sendable (HandlerOutcome) -> Void
    ) {
        self.router = OpenRouter(router)
        self.surroundings = surroundings
        self.deliver = deliver
    }

    var contentTypes: [String] { effects.contentTypes.filter(events.contentTypes.contains) }
    var isTracing: Bool { tracer != nil }

    func attempt(_ order: EffectOrder, _ context: EffectContext) -> any AttemptRun {
        EffectRun(order, context, in: self)
    }

    func reopened() -> any AttemptSource {
        router.close()
        return HandlerSetting(router: router.router, surroundings: surroundings, deliver: deliver)
    }
}
