import MobiusCodec
package import MobiusEngine
import MobiusJournal
import MobiusProgram
package import MobiusWire

// Loops that begin with an event.
extension DurableHost {
    package func opening(_ id: LoopID, for event: Payload, key: String) throws(CoordinatorError) -> CoordinatorInput? {
        guard isNew(id) else { return nil }
        let source = SourceKey.outside(key)
        do throws(CodingFailure) {
            // Decoding may trap.
            if !crashes.isDropped(CrashLedger.Event(loop: id, source: source)) {
                try trail.applying(event, from: source, to: id) { () throws(CodingFailure) in
                    _ = try setting.preparer.codings.events.decode(event)
                }
            }
        } catch {
            throw CoordinatorError(.invalidEvent, "The event cannot be read: \(error).", underlying: error)
        }
        return try opening(id)
    }

    /// Begins a loop for an event that this process made; `nil` when the loop is not new.
    func opening(_ id: LoopID) throws(CoordinatorError) -> CoordinatorInput? {
        guard hosted(id) == nil, held[id] == nil else { return nil }
        if let refusal = refusalToBegin(id) { throw CoordinatorError(.tooManyLoops, refusal.reason) }
        let prepared = try trail.applying(nil, from: .start, to: id) { () throws(CoordinatorError) in
            try setting.preparer.new(id)
        }
        install(prepared)
        return prepared.input
    }

    package func beginAgain(for application: EventApplication) throws -> Opening {
        let (loop, source) = (application.loop, application.source)
        do {
            if crashes.isEmpty || !crashes.isDropped(CrashLedger.Event(loop: loop, source: source)) {
                try trail.applying(application.event, from: source, to: loop) { () throws(CodingFailure) in
                    _ = try setting.preparer.codings.events.decode(application.event)
                }
            }
            guard let opening = try opening(loop) else {
                return .refused(
                    ClientRefusal(.held, "The loop \(loop) is held: `mobius quarantine show \(loop)` shows why."))
            }
            return .begins(opening)
        } catch let failure as CodingFailure {
            return .refused(ClientRefusal(.invalidEvent, "The event cannot be read: \(failure)."))
        } catch let error as CoordinatorError {
            return .refused(ClientRefusal(.unsupported, error.message))
        }
    }
}
