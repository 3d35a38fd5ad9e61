public import MobiusCore
public import MobiusEngine
public import MobiusWire

extension _PartialEffectRouter {
    /// Routes effects to other loops of the coordinator: each effect is an event for one loop.
    ///
    /// Once the event that asked for the effect is on disk, its event is applied exactly once, through any crash: the event
    /// and the end of the effect are written in one transaction. Events of one loop for another arrive in the order in
    /// which they were asked for. A loop that does not exist begins with the event. For a loop that is held the effect
    /// waits until it is released; a loop may send to itself, too.
    ///
    /// Only a coordinator has other loops: in a worker pool such an effect fails.
    ///
    /// - Parameters:
    ///   - event: The name of the loop, 1…128 bytes of UTF-8, and its event. It must be pure. An impossible name is a program
    ///     error, which holds the sending loop.
    ///   - onFailure: The event of the sending loop when the other one has ended or cannot begin; `nil` for none: then the
    ///     effect just ends, and the coordinator logs that. It must be pure.
    public func toLoop(
        _ event: @escaping @Sendable (EffectParameters) -> (loop: String, event: Event),
        onFailure: (@Sendable (EffectParameters, EffectFailure) -> Event)? = nil
    ) -> EffectRouter<Effect, Event> {
        toRemote { parameters in
            EffectPlan.policy(to: event(parameters).loop) { .loop($0) }
        } answer: { parameters, news in
            news is LoopDelivery ? event(parameters).event : EffectFailure(news).flatMap { onFailure?(parameters, $0) }
        }
    }

    /// Routes effects to other loops of the coordinator, by their ids: see ``toLoop(_:onFailure:)``.
    public func toLoop(
        _ event: @escaping @Sendable (EffectParameters) -> (loop: LoopID, event: Event),
        onFailure: (@Sendable (EffectParameters, EffectFailure) -> Event)? = nil
    ) -> EffectRouter<Effect, Event> {
        toLoop(
            { parameters in
                let (loop, event) = event(parameters)
                return (loop.name, event)
            }, onFailure: onFailure)
    }
}

extension EffectAction {
    /// Sends an event to another loop, in an exhaustive router: see ``MobiusCore/_PartialEffectRouter/toLoop(_:onFailure:)``.
    ///
    /// - Parameters:
    ///   - loop: The name of the loop, 1…128 bytes of UTF-8.
    ///   - event: Its event; it must be pure.
    ///   - onFailure: The event of the sending loop when the other one has ended or cannot begin; `nil` for none.
    public static func toLoop(
        _ loop: String, event: @escaping @Sendable () -> Event,
        onFailure: (@Sendable (EffectFailure) -> Event)? = nil
    ) -> EffectAction {
        toRemote(policy: EffectPlan.policy(to: loop) { .loop($0) }) { news in
            news is LoopDelivery ? event() : EffectFailure(news).flatMap { onFailure?($0) }
        }
    }
}

extension EffectPlan {
    // Without dead letters: that a loop has ended is an answer, not a defect.
    private static let ofLoops = SharedPolicy(EffectPolicy(keepsDeadLetters: false))

    /// The plan of an effect for the loop of this name, or the error that says that there is no such name.
    static func policy(to name: String, _ destination: (LoopID) -> Destination) -> any Sendable {
        guard let loop = LoopID(name) else { return noLoop(name) }
        return EffectPlan(destination: destination(loop), sharing: ofLoops)
    }

    /// The error of a route that names no loop.
    static func noLoop(_ name: String) -> ProgramError {
        ProgramError("An effect is for the loop \"\(name.prefix(40))\", but the name of a loop has 1 to 128 bytes.")
    }
}
