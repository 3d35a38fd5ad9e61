import MobiusCodec
import MobiusCore
import MobiusEngine
import MobiusJournal
import MobiusRuntime
import MobiusWire

/// A loop with its types: where payloads become events, `update` runs, and effects become payloads with plans.
///
/// It is confined to the socket thread.
final class TypedLoop<Program: LoopProgram> {
    let id: LoopID
    private(set) var model: Program.Model
    private let routes: EffectRouter<Program.Effect, Program.Event>
    private let events = TypedCoding<Program.Event>.json()
    private let effects = TypedCoding<Program.Effect>.json()

    init(id: LoopID, model: Program.Model, routes: EffectRouter<Program.Effect, Program.Event>) {
        self.id = id
        self.model = model
        self.routes = routes
    }

    /// Applies an event that came as bytes.
    func apply(_ event: Payload) throws(CodingFailure) -> Change<Program.Effect> {
        apply(try events.decode(event))
    }

    func apply(_ event: Program.Event) -> Change<Program.Effect> {
        Program.step(&model, event)
    }

    /// The event that an effect's route makes of its failure, or `nil` when it makes none.
    func event(of failure: EffectFailure, effect: Payload) throws -> Payload? {
        guard case .one(.remote(let route)) = routes.resolve(try effects.decode(effect)),
            let event = route.onFailure(failure)
        else { return nil }
        return try events.encode(event)
    }

    /// Effects as bytes, with the plans of their routes.
    ///
    /// - Throws: ``CoordinatorError`` for an effect without exactly one route, or that cannot be coded.
    func plan(_ effects: [Program.Effect]) throws(CoordinatorError) -> [PlannedEffect] {
        var planned: [PlannedEffect] = []
        planned.reserveCapacity(effects.count)
        for effect in effects {
            let plan = try plan(effect)
            do throws(CodingFailure) {
                planned.append(PlannedEffect(effect: try self.effects.encode(effect), plan: plan))
            } catch {
                throw CoordinatorError(.program, "An effect cannot be written: \(error).")
            }
        }
        return planned
    }

    /// The plan of an effect that the journal remembers, by today's routes.
    func plan(_ effect: Payload) throws(CoordinatorError) -> EffectPlan {
        let decoded: Program.Effect
        do throws(CodingFailure) {
            decoded = try effects.decode(effect)
        } catch {
            throw CoordinatorError(
                .program,
                "The journal holds an effect that this program cannot read: \(error). Run the build that wrote it.")
        }
        return try plan(decoded)
    }

    private func plan(_ effect: Program.Effect) throws(CoordinatorError) -> EffectPlan {
        switch routes.resolve(effect) {
        case .one(.handler): return EffectPlan(destination: .local)
        case .one(.remote(let route)):
            guard route.execution == .concurrently else {
                throw CoordinatorError(
                    .program,
                    """
                    A route to workers has an execution policy (.executing), which a coordinator cannot keep yet: \
                    remove it, or run the loop with a WorkerPool.
                    """)
            }
            return route.plan
        case .one(.cancels): throw CoordinatorError(.program, routes.complaint(aboutCancelling: effect))
        case .none, .many:
            throw CoordinatorError(.program, routes.complaint(about: effect) ?? "An effect has no route.")
        }
    }

    /// Makes bytes of an event from this process.
    func payload(of event: Program.Event) throws(CodingFailure) -> Payload {
        try events.encode(event)
    }
}
