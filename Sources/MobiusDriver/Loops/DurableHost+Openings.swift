import MobiusCodec
import MobiusCore
package import MobiusEngine
import MobiusJournal
import MobiusProgram
package import MobiusWire

// Loops that begin with an event.
extension DurableHost {
    package func opening(_ id: LoopID, for event: Payload, key: String) throws(CoordinatorError) -> CoordinatorInput? {
        guard isNew(id) else { return nil }
        return try opening(id, for: event, from: .outside(key))
    }

    /// Begins a loop for an event whose sender is told what `update` says; `nil` when the loop is there.
    ///
    /// Nothing begins if the event cannot be read or `update` refuses it.
    ///
    /// - Throws: ``CoordinatorError`` with code `refusedByProgram` when `update` refuses it.
    func opening(
        _ id: LoopID, for event: Payload, from source: SourceKey
    ) throws(CoordinatorError) -> CoordinatorInput? {
        try opening(id) { prepared throws(CoordinatorError) in
            guard !crashes.isDropped(CrashLedger.Event(loop: id, source: source)) else { return }
            let refusal: String?
            do throws(CodingFailure) {
                refusal = try self.refusal(of: event, from: source, by: prepared)
            } catch {
                throw CoordinatorError(.invalidEvent, "The event cannot be read: \(error).", underlying: error)
            }
            if let refusal { throw CoordinatorError(.refusedByProgram, refusal) }
        }
    }

    /// Returns the reason why `update` refuses the first event of a loop, which is tried on a copy of its model; `nil`
    /// when it does not.
    private func refusal(
        of event: Payload, from source: SourceKey, by prepared: PreparedLoop<Program>
    ) throws(CodingFailure) -> String? {
        let id = prepared.loop.id
        let trial = setting.preparer.calls.loop(id, prepared.loop.model)
        do {
            var scratch = CodingScratch()
            var next = start(of: id)
            next.number += 1
            let context = LoopContext(next, of: id, from: source)
            let outcome = try trial.advance(event, from: source, of: id, in: { context }, trail, scratch: &scratch)
            guard case .refusal(let reason)? = outcome.effects.reply else { return nil }
            return reason
        } catch let failure as CodingFailure {
            throw failure
        } catch {
            return nil  // a program error, for which the event holds the loop when it is applied
        }
    }

    /// Begins a loop for an event that this process made; `nil` when the loop is not new.
    ///
    /// - Parameter check: Throws if the loop is not to begin.
    func opening(
        _ id: LoopID, check: (PreparedLoop<Program>) throws(CoordinatorError) -> Void = { _ in }
    ) throws(CoordinatorError) -> CoordinatorInput? {
        guard hosted(id) == nil, held[id] == nil else { return nil }
        if let refusal = refusalToBegin(id) { throw CoordinatorError(.tooManyLoops, refusal.reason) }
        let prepared = try setting.preparer.new(id, at: start(of: id), trail)
        try check(prepared)
        install(prepared)
        return prepared.input
    }

    package func beginAgain(for application: EventApplication) throws -> Opening {
        let loop = application.loop
        do throws(CoordinatorError) {
            guard let opening = try opening(loop, for: application.event, from: application.source) else {
                return .refused(
                    ClientRefusal(.held, "The loop \(loop) is held: `mobius quarantine show \(loop)` shows why."))
            }
            return .begins(opening)
        } catch {
            switch error.code {
            case .refusedByProgram: return .refusedByProgram(error.message)
            case .invalidEvent: return .refused(ClientRefusal(.invalidEvent, error.message))
            case .noProgram: return .refused(ClientRefusal(.unknownName, error.message))
            default: return .refused(ClientRefusal(.unsupported, error.message))
            }
        }
    }
}
