public import MobiusCore

/// The measured program: keeps a window of effects outstanding until enough of them are answered.
///
/// Effect and event are about 100 bytes of JSON each, the work unit of all effect benchmarks.
public enum EffectLoop: InPlaceLoopProgram {
    /// How far the present stage is.
    public struct Model: Codable, Sendable {
        /// How many effects the stage has in all.
        public var total = 0
        /// How many were asked for.
        public var asked = 0
        /// How many were answered.
        public var answered = 0
    }

    /// What happens to the loop.
    public enum Event: Codable, Sendable {
        /// A new stage of `total` effects begins, `window` of them outstanding.
        case started(total: Int, window: Int)
        /// An answer came.
        case fetched(etag: String, status: Int, answer: Int, next: String)
        /// An effect failed for good; the stage cannot end any more.
        case failed(reason: String)
    }

    /// What the loop asks for.
    public enum Effect: Codable, Sendable {
        /// The workers' task.
        case fetch(url: String, attempt: Int)
        /// The stage is over: handled in the coordinator.
        case finish(failure: String?)
    }

    /// No stage yet.
    public static func initiate() -> First<Model, Effect> {
        First(model: Model())
    }

    /// Answers each answer with the next effect.
    ///
    /// Not pure, on purpose: it tells ``Stopwatch`` the time at which it is called. That is the only place that sees when
    /// an event is applied; a benchmark may do so, a program must not.
    public static func update(_ model: inout Model, _ event: Event) -> Change<Effect> {
        Stopwatch.shared.lap()
        switch event {
        case .started(let total, let window):
            let first = min(total, window)
            model = Model(total: total, asked: first)
            return .next(effects: (0..<first).map(fetch))
        case .fetched:
            model.answered += 1
            if model.answered == model.total { return .next(effects: [.finish(failure: nil)]) }
            guard model.asked < model.total else { return .next() }
            model.asked += 1
            return .next(effects: [fetch(model.asked)])
        case .failed(let reason):
            return .dispatchEffects([.finish(failure: reason)])
        }
    }

    private static func fetch(_ attempt: Int) -> Effect {
        .fetch(url: "https://example.com/api/v1/items/0123456789/detail?lang=en", attempt: 100_000_000 + attempt)
    }
}
