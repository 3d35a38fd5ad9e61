public import MobiusCore
import MobiusEngine

// What a loop leaves for its end, such as what becomes of loops that it began.
extension _PartialEffectRouter {
    /// Routes effects to other loops once this loop has ended: each effect is an event for one loop, which decides what to do.
    ///
    /// ```swift
    /// extension Tour: FleetProgram {
    ///     static let kind: LoopKind = "tour"
    ///     static let routes = EffectRouter<Effect, Event>()
    ///         .routeCase(Effect.issue).toLoop { voucher in (Address<Voucher>(voucher), .issued) }
    ///         .routeCase(Effect.refundAtEnd).toLoopAtEnd { voucher in (Address<Voucher>(voucher), .tourEnded) }
    ///         .routeCase(Effect.keep).cancels { voucher, underWay in underWay == .refundAtEnd(voucher) }
    ///         .routeCase(Effect.end).endsLoop()
    /// }
    /// ```
    /// A loop asks for it with the event that begins the other one, and so takes its children along. Until this loop ends, by
    /// ``endsLoop(_:)`` or by an operator, the effect is pending and does nothing; a `.cancels` route takes it back, say when the other
    /// loop has reported that it is done. It survives crashes and moves like any pending effect, keeps this loop in memory, and counts
    /// among the effects that wait for their time, of which there may be four times `--max-backlog`.
    ///
    /// The event is applied exactly once, after all that this loop had sent before. It begins no loop: one that has ended, or was never
    /// there, gets nothing, and the effect just ends. A loop that is held gets it when it is released. This loop gets nothing back.
    ///
    /// - Parameter event: The address of the loop, and an event of its program. It must be pure. An address that names no loop is a
    ///   program error, which holds this loop.
    public func toLoopAtEnd<Other: FleetProgram>(
        _ event: @escaping @Sendable (EffectParameters) -> (loop: Address<Other>, event: Other.Event)
    ) -> EffectRouter<Effect, Event> {
        toRemote { parameters in
            let (address, event) = event(parameters)
            return AddressedRoute(EffectPlan.policy(atEndTo: address.name, ends: false), address, event)
        } answer: { _, _ in
            nil
        }
    }

    /// Routes effects to other loops of the same program once this loop has ended, by their names: see ``toLoopAtEnd(_:)``.
    public func toLoopAtEnd(
        _ event: @escaping @Sendable (EffectParameters) -> (loop: String, event: Event)
    ) -> EffectRouter<Effect, Event> {
        toRemote { parameters in
            EffectPlan.policy(atEndTo: event(parameters).loop, ends: false)
        } answer: { parameters, news in
            news is LoopDelivery ? event(parameters).event : nil
        }
    }

    /// Routes effects to the ends of other loops once this loop has ended.
    ///
    /// As ``toLoopAtEnd(_:)``, but the other loop ends for good, as if an operator had ended it: its `update` is not asked, its pending
    /// effects are cancelled, what it had sent is still delivered, what it had left for its own end follows, and its history says which loop took it along.
    ///
    /// - Parameter loop: The address of the loop. It must be pure. An address that names no loop is a program error, which holds this
    ///   loop.
    public func endsLoopAtEnd<Other: FleetProgram>(
        _ loop: @escaping @Sendable (EffectParameters) -> Address<Other>
    ) -> EffectRouter<Effect, Event> {
        endsLoopAtEnd { parameters in loop(parameters).name }
    }

    /// Routes effects to the ends of other loops once this loop has ended, by their names: see ``endsLoopAtEnd(_:)``.
    public func endsLoopAtEnd(
        _ loop: @escaping @Sendable (EffectParameters) -> String
    ) -> EffectRouter<Effect, Event> {
        toRemote { parameters in
            EffectPlan.policy(atEndTo: loop(parameters), ends: true)
        } answer: { _, _ in
            nil
        }
    }
}

extension EffectAction {
    /// Sends an event to another loop once this one has ended, in an exhaustive router: see
    /// ``MobiusCore/_PartialEffectRouter/toLoopAtEnd(_:)``.
    ///
    /// - Parameters:
    ///   - address: The loop.
    ///   - event: An event of its program; it must be pure.
    public static func toLoopAtEnd<Other: FleetProgram>(
        _ address: Address<Other>, event: @autoclosure @escaping @Sendable () -> Other.Event
    ) -> EffectAction {
        let plan = EffectPlan.policy(atEndTo: address.name, ends: false)
        return toRemote(policy: AddressedRoute(plan, address, event())) { _ in nil }
    }

    /// The same for a loop of the same program, by its name.
    ///
    /// - Parameters:
    ///   - loop: The name of the loop, 1…128 bytes of UTF-8.
    ///   - event: Its event; it must be pure.
    public static func toLoopAtEnd(_ loop: String, event: @escaping @Sendable () -> Event) -> EffectAction {
        toRemote(policy: EffectPlan.policy(atEndTo: loop, ends: false)) { news in news is LoopDelivery ? event() : nil }
    }

    /// Ends another loop once this one has ended, in an exhaustive router: see
    /// ``MobiusCore/_PartialEffectRouter/endsLoopAtEnd(_:)``.
    public static func endsLoopAtEnd<Other: FleetProgram>(_ address: Address<Other>) -> EffectAction {
        endsLoopAtEnd(address.name)
    }

    /// The same for a loop by its name, 1…128 bytes of UTF-8.
    public static func endsLoopAtEnd(_ loop: String) -> EffectAction {
        toRemote(policy: EffectPlan.policy(atEndTo: loop, ends: true)) { _ in nil }
    }
}

extension EffectPlan {
    fileprivate static func policy(atEndTo name: String, ends: Bool) -> any Sendable {
        policy(to: name) { .atEnd($0, ends: ends) }
    }
}
