import MobiusCodec
package import MobiusEngine
import MobiusJournal
import MobiusProgram
package import MobiusWire

// Failures and timers of effects, which their routes turn into events.
extension DurableHost {
    package func applyFailure(
        _ id: EffectID, effect: Payload, _ failure: EffectFailure, round: UInt32
    ) throws -> CoordinatorInput {
        try applyOutcome(id, effect, from: .failure(id, round: round), ends: true, origin: .failure) { loop in
            try loop.event(of: failure, effect: effect)
        }
    }

    package func applyTimer(_ id: EffectID, effect: Payload, due: WallTime, ends: Bool) throws -> CoordinatorInput {
        try applyOutcome(id, effect, from: .timer(id, due: due), ends: ends, origin: .timer) { loop in
            try loop.event(ofTimer: effect)
        }
    }

    /// Applies the event that an effect's route makes of its failure or timer.
    private func applyOutcome(
        _ id: EffectID, _ effect: Payload, from source: SourceKey, ends: Bool, origin: EventApplication.Origin,
        _ make: (TypedLoop<Program>) throws -> Payload?
    ) throws -> CoordinatorInput {
        guard let loop = hosted(id.loop) else { return .hold(id.loop) }
        var application = EventApplication(
            loop: id.loop, source: source, event: effect, ends: ends ? id : nil, origin: origin)
        // The route may trap.
        if crashes.isEmpty || !crashes.isDropped(CrashLedger.Event(loop: id.loop, source: source)) {
            do {
                let event = try trail.applying(effect, from: source, to: id.loop) { try make(loop.typed) }
                guard let event else { return .completedWithoutEvent(id) }
                application.event = event
            } catch let failure as CodingFailure {
                hold(loop, effect, from: source, because: "Making an event from effect \(id) failed: \(failure).")
                return .hold(id.loop)
            }
        }
        return try apply(&application).input(for: application)
    }

    package func selectCancelled(
        _ id: EffectID, effect: Payload, among underWay: [(id: EffectID, effect: Payload)]
    ) throws -> CoordinatorInput {
        // An effect that cannot be decoded cancels nothing.
        .cancelSelected(id, (try? hosted(id.loop)?.typed.cancelled(by: effect, among: underWay)) ?? [])
    }
}
