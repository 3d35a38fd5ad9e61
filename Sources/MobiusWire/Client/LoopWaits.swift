/// The reasons why a loop waits, in sentences for people.
public struct LoopWaits: Hashable, Sendable, Codable {
    /// One thing that a loop waits for.
    public struct Wait: Hashable, Sendable, Codable {
        /// The effect whose end it waits for.
        public var effect: EffectID
        /// The state of the effect, or the reason why it does not go on, in a sentence.
        public var sentence: String
        /// Milliseconds since the effect was asked for.
        public var ageMilliseconds: UInt64
        /// The time until which it waits, as far as that is known.
        public var until: WallTime?

        /// Describes an effect.
        public init(effect: EffectID, sentence: String, ageMilliseconds: UInt64, until: WallTime? = nil) {
            self.effect = effect
            self.sentence = sentence
            self.ageMilliseconds = ageMilliseconds
            self.until = until
        }
    }

    /// The loop.
    public var loop: LoopID
    /// The reason why the loop itself waits, in a sentence.
    public var sentence: String
    /// Its pending effects in the order in which they were asked for, at most ``ClientRequest/maximumPage``.
    public var waits: [Wait]
    /// Whether it has more.
    public var more: Bool

    /// Describes a loop.
    public init(loop: LoopID, sentence: String, waits: [Wait] = [], more: Bool = false) {
        self.loop = loop
        self.sentence = sentence
        self.waits = waits
        self.more = more
    }

    /// Describes a loop that is not held, with its pending effects.
    package init(_ loop: LoopID, effects: [EffectSummary], more: Bool) {
        let count = more ? "more than \(effects.count)" : "\(effects.count)"
        let sentence =
            switch (effects.count, more) {
            case (0, _): "It waits for an event from outside or of another loop: no effect of it is pending."
            case (1, false): "It waits for one effect, or for an event."
            default: "It waits for \(count) effects, or for an event."
            }
        self.init(loop: loop, sentence: sentence, waits: effects.map(Wait.init), more: more)
    }
}

extension LoopWaits.Wait {
    fileprivate init(_ effect: EffectSummary) {
        let name = effect.name.isEmpty ? effect.kind.type : effect.name
        let failed = effect.reason.isEmpty ? "" : ", after a failure: \(effect.reason)"
        let worker = effect.worker.map { effect.workerName.isEmpty ? String("\($0)".prefix(8)) : effect.workerName }
        let sentence: String
        switch effect.phase {
        case .running where effect.obstacle.isEmpty:
            sentence = "\(name) runs \(worker.map { "on worker \($0)" } ?? "in the coordinator")\(failed)."
        case .running: sentence = "\(name) was given to worker \(worker ?? "unknown"), but \(effect.obstacle)\(failed)."
        case .pausing: sentence = "\(name) pauses until its next attempt\(failed)."
        case .timer: sentence = "\(name) waits for its time."
        default:
            let reason = effect.obstacle.isEmpty ? "its turn has not come" : effect.obstacle
            sentence = "\(name) waits\(effect.pool.map { " for pool \($0)" } ?? ""): \(reason)\(failed)."
        }
        self.init(effect: effect.id, sentence: sentence, ageMilliseconds: effect.age, until: effect.due)
    }
}
