package import MobiusCodec
package import MobiusCore
package import MobiusEngine
package import MobiusWire

/// A typed loop: it decodes events, runs `update`, and encodes effects and plans them.
///
/// It is confined to the socket thread.
package final class TypedLoop<Program: LoopProgram>: ProgramLoop, PayloadLoop {
    package let id: LoopID
    package var payloads: any PayloadLoop { self }
    // Unchecked: only `update` changes it, which cannot call this object.
    @exclusivity(unchecked) package private(set) var model: Program.Model
    private let routes: EffectRouter<Program.Effect, Program.Event>
    private let codings: ProgramCodecs<Program>
    /// Decoded effects that a `.cancels` route has tested: the next such route tests nearly the same.
    private var looked: [EffectID: Program.Effect] = [:]

    private let fixedPolicy: (Program.Effect) -> FixedPolicy?
    /// The plan of the last route, if it is the same for all effects.
    private var lastPlan: EffectPlan?
    private var lastPolicy: FixedPolicy?

    /// Makes a loop; a program's loops share its codings.
    package init(
        id: LoopID, model: Program.Model, routes: EffectRouter<Program.Effect, Program.Event>,
        codings: ProgramCodecs<Program> = ProgramCodecs()
    ) {
        self.id = id
        self.model = model
        self.routes = routes
        fixedPolicy = routes.fixedPolicy
        self.codings = codings
    }

    package func apply(
        _ event: Payload, in context: @autoclosure () -> LoopContext
    ) throws(CodingFailure) -> Change<Program.Effect> {
        step(try codings.events.decode(event), context)
    }

    package func advance(
        _ event: Payload, in context: () -> LoopContext, scratch: inout CodingScratch
    ) throws -> (changed: Bool, effects: OneOrMany<PlannedEffect>) {
        let change = step(try codings.events.decode(event, scratch: &scratch), context)
        let (changed, effects) = (change.changed, change.effects)
        switch effects.count {
        case 0: return (changed, .none)
        case 1: return (changed, .one(try planned(effects[0], &scratch)))
        default: return (changed, .many(try plan(effects, &scratch)))
        }
    }

    @inline(__always)
    private func step(_ event: Program.Event, _ context: () -> LoopContext) -> Change<Program.Effect> {
        Program._usesContext ? Program.step(&model, event, context()) : Program.step(&model, event)
    }

    package func event(of failure: EffectFailure, effect: Payload) throws(CodingFailure) -> Payload? {
        try answer(to: failure, effect: effect)
    }

    package func event(ofAnswer reply: SenderReply?, effect: Payload) throws(CodingFailure) -> Payload? {
        try answer(to: AskedLoopReplied(reply: reply), effect: effect)
    }

    package func event(ofTimer effect: Payload) throws(CodingFailure) -> Payload? {
        try answer(to: TimerFired(), effect: effect)
    }

    package func event(ofDelivery effect: Payload) throws(CodingFailure) -> Payload? {
        guard case .one(.remote(let route)) = routes.resolve(try codings.effects.decode(effect)) else { return nil }
        if let addressed = route.policy as? AddressedRoute { return try addressed.payload.get() }
        return try route.answer(LoopDelivery()).map { event throws(CodingFailure) in try codings.events.encode(event) }
    }

    private func answer(to news: any Sendable, effect: Payload) throws(CodingFailure) -> Payload? {
        guard case .one(.remote(let route)) = routes.resolve(try codings.effects.decode(effect)),
            let event = route.answer(news)
        else { return nil }
        return try codings.events.encode(event)
    }

    /// Each effect is decoded once, however many routes test it.
    package func cancelled(
        by effect: Payload, among underWay: [(id: EffectID, effect: Payload)]
    ) throws(CodingFailure) -> [EffectID] {
        guard case .one(.cancels(let route)) = routes.resolve(try codings.effects.decode(effect)) else { return [] }
        var cancelled: [EffectID] = []
        for other in underWay {
            if let effect = value(of: other.id, other.effect), route.matches(effect) { cancelled.append(other.id) }
        }
        if looked.count > 2 * underWay.count + 64 { forgetLooked(except: underWay) }
        return cancelled.sorted()
    }

    private func value(of id: EffectID, _ payload: Payload) -> Program.Effect? {
        if let value = looked[id] { return value }
        guard let value = try? codings.effects.decode(payload) else { return nil }
        looked[id] = value
        return value
    }

    private func forgetLooked(except underWay: [(id: EffectID, effect: Payload)]) {
        let ended = looked
        looked.removeAll()
        for other in underWay { looked[other.id] = ended[other.id] }
    }

    package func plan(_ effects: [Program.Effect]) throws(ProgramError) -> [PlannedEffect] {
        var scratch = CodingScratch()
        return try plan(effects, &scratch)
    }

    private func plan(
        _ effects: [Program.Effect], _ scratch: inout CodingScratch
    ) throws(ProgramError) -> [PlannedEffect] {
        var planned: [PlannedEffect] = []
        planned.reserveCapacity(effects.count)
        var replies = 0
        // By index: in generic code an iterator costs more than the elements.
        for index in 0..<effects.count {
            let effect = try self.planned(effects[index], &scratch)
            if effect.plan.isForSender { replies += 1 }
            planned.append(effect)
        }
        guard replies <= 1 else { throw SenderRoute.severalReplies(replies) }
        return planned
    }

    private func planned(
        _ effect: Program.Effect, _ scratch: inout CodingScratch
    ) throws(ProgramError) -> PlannedEffect {
        let plan = try plan(effect)
        do throws(CodingFailure) {
            return PlannedEffect(effect: try codings.effects.encode(effect, scratch: &scratch), plan: plan)
        } catch {
            throw ProgramError("An effect cannot be written: \(error).")
        }
    }

    package func plan(_ effect: Payload) throws(ProgramError) -> EffectPlan {
        let decoded: Program.Effect
        do throws(CodingFailure) {
            decoded = try codings.effects.decode(effect)
        } catch {
            throw ProgramError(
                "The journal holds an effect that this program cannot read: \(error). Run the build that wrote it.")
        }
        return try plan(decoded)
    }

    private func plan(_ effect: Program.Effect) throws(ProgramError) -> EffectPlan {
        guard let fixed = fixedPolicy(effect) else { return try resolvedPlan(effect) }
        if fixed === lastPolicy, let lastPlan { return lastPlan }
        let plan = EffectPlan(of: fixed.policy)
        (lastPolicy, lastPlan) = (fixed, plan)
        return plan
    }

    private func resolvedPlan(_ effect: Program.Effect) throws(ProgramError) -> EffectPlan {
        switch routes.resolve(effect) {
        case .one(.handler): return EffectPlan(destination: .local)
        case .one(.remote(let route)):
            if let reply = route.policy as? SenderRoute { return try reply.plan() }
            guard route.execution == .concurrently else {
                throw ProgramError(
                    """
                    A route to workers has an execution policy (.executing), which holds within one process only: give it \
                    a policy with a limit instead, such as EffectLimit("payments", concurrency: 1).
                    """)
            }
            if let complaint = route.complaint { throw complaint }
            return route.plan
        case .one(.cancels): return EffectPlan(destination: .cancel)
        case .none, .many: throw ProgramError(routes.complaint(about: effect) ?? "An effect has no route.")
        }
    }
}
