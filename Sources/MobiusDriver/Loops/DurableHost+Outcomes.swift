import MobiusCodec
package import MobiusEngine
package import MobiusJournal
import MobiusProgram
package import MobiusWire

// Failures, timers and answers of effects, which their routes turn into events.
extension DurableHost {
    package func applyFailure(
        _ id: EffectID, effect: Payload, _ failure: EffectFailure, round: UInt32
    ) throws -> CoordinatorInput {
        try applyOutcome(id, effect, from: .failure(id, round: round), ends: true, origin: .failure, .failure(failure))
    }

    package func applyTimer(_ id: EffectID, effect: Payload, due: WallTime, ends: Bool) throws -> CoordinatorInput {
        try applyOutcome(id, effect, from: .timer(id, due: due), ends: ends, origin: .timer, .timer)
    }

    package func applyAnswer(_ id: EffectID, effect: Payload, _ reply: LoopReply) throws -> CoordinatorInput {
        try applyOutcome(id, effect, from: .answer(id), ends: true, origin: .answer, .answer(reply))
    }

    /// Applies the event that an effect's route makes of its failure, timer or answer.
    private func applyOutcome(
        _ id: EffectID, _ effect: Payload, from source: SourceKey, ends: Bool, origin: EventApplication.Origin,
        _ news: GuardedLoop<Program>.News
    ) throws -> CoordinatorInput {
        guard let loop = hosted(id.loop) else { return .hold(id.loop) }
        var application = EventApplication(
            loop: id.loop, source: source, event: effect, ends: ends ? id : nil, origin: origin)
        // The route may trap.
        if crashes.isEmpty || !crashes.isDropped(CrashLedger.Event(loop: id.loop, source: source)) {
            do throws(CodingFailure) {
                guard let event = try loop.typed.event(of: news, effect: effect, from: source, trail) else {
                    return .completedWithoutEvent(id)
                }
                application.event = event
            } catch {
                hold(loop, effect, from: source, because: "Making an event from effect \(id) failed: \(error).")
                return .hold(id.loop)
            }
        }
        return try apply(&application).input(for: application)
    }

    package func selectCancelled(
        _ id: EffectID, effect: Payload, among underWay: [(id: EffectID, effect: Payload)]
    ) throws -> CoordinatorInput {
        let place = CrashLedger.Event(loop: id.loop, source: .place(.cancels, of: id))
        // An operator dropped it because it traps; or its loop has ended, and cannot be held.
        let isSkipped = !crashes.isEmpty && (crashes.isDropped(place) || hosted(id.loop) == nil && skips(place))
        let ended = end(id.loop) == nil ? nil : setting.preparer.routing(id.loop, trail)
        guard !isSkipped, let loop = hosted(id.loop)?.typed ?? ended else { return .cancelSelected(id, []) }
        let cancelled = loop.cancelled(by: id, effect, among: underWay, trail)
        forgetTrap(at: place.source, of: id.loop)
        return .cancelSelected(id, cancelled)
    }
}
