public import MobiusCore

extension _PartialEffectRouter {
    /// Routes effects to the sender of the event that asked for them: the effect is the event's answer.
    ///
    /// Nothing runs. The answer is written to the journal in one transaction with the event, and goes back with the
    /// confirmation to the caller of `send`, in the coordinator, in another process or at the command line. A repetition of
    /// the event's key gets the same answer, over restarts, as long as the loop remembers the key.
    ///
    /// An event has one answer or one refusal (``refuses(_:)``) at most: with a second one the loop is held, as with an effect
    /// without a route. A loop that asks gets it as an event: see `.asks`. Other events that nobody outside sent
    /// have nobody to answer: reports of workers, failures and timers, and the loop's start. There the effect just ends. In a worker pool, whose loops have no senders, it ends always.
    ///
    /// - Parameter answer: The answer, from the effect's parameters, which is sent as JSON. It must be pure.
    public func toSender<Answer: Codable & Sendable>(
        _ answer: @escaping @Sendable (EffectParameters) -> Answer
    ) -> EffectRouter<Effect, Event> {
        let codec = AnswerCodecs.codec(of: Answer.self)
        return toRemote { parameters in
            SenderRoute(answer: answer(parameters), codec)
        } answer: { _, _ in
            nil
        }
    }

    /// Routes effects to the sender of the event that asked for them, as a refusal with a reason.
    ///
    /// The event is recorded like any other, with the model that `update` returned. Its sender gets the error
    /// `refusedByProgram` with the reason, also for a repetition of its key. Otherwise it is as ``toSender(_:)``. An event from
    /// outside that would begin a loop is not recorded: the loop does not begin, and a repetition is decided anew.
    ///
    /// - Parameter reason: The reason, for people, from the effect's parameters; a longer one than 1,024 bytes is cut. It
    ///   must be pure.
    public func refuses(
        _ reason: @escaping @Sendable (EffectParameters) -> String
    ) -> EffectRouter<Effect, Event> {
        toRemote { parameters in
            SenderRoute(refusal: reason(parameters))
        } answer: { _, _ in
            nil
        }
    }
}

extension EffectAction {
    /// Answers the sender of the event that asked for the effect, in an exhaustive router: see
    /// ``MobiusCore/_PartialEffectRouter/toSender(_:)``.
    public static func toSender(_ answer: some Codable & Sendable) -> EffectAction {
        toRemote(policy: route(answer)) { _ in nil }
    }

    /// Refuses the event that asked for the effect, in an exhaustive router: see
    /// ``MobiusCore/_PartialEffectRouter/refuses(_:)``.
    public static func refuses(_ reason: String) -> EffectAction {
        toRemote(policy: SenderRoute(refusal: reason)) { _ in nil }
    }

    private static func route<Answer: Codable & Sendable>(_ answer: Answer) -> SenderRoute {
        SenderRoute(answer: answer, AnswerCodecs.codec(of: Answer.self))
    }
}
