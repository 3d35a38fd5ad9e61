import MobiusCore
import MobiusEngine
import MobiusJournal
import MobiusProgram
import MobiusRuntime
import MobiusWire

/// Where in its work a coordinator can be killed.
enum CoordinatorStep {
    case beforeCommit
    case afterCommit
    case afterSend
}

// What a fleet with real handlers asks of its coordinator.
extension CoordinatorProcess {
    /// Whether it is killed at this step.
    func meetsEnd(_ step: CoordinatorStep) -> Bool {
        guard world.plannedEnd == step else { return false }
        world.plannedEnd = nil
        world.crash(self)
        return true
    }

    /// A loop begins with its first event.
    func open(_ id: LoopID) {
        guard loops[id] == nil, isAlive, !isEnding else { return }
        if !world.loops.contains(id) { world.loops.append(id) }
        let first = world.scenario.first()
        begin(TypedLoop(id: id, model: first.model, routes: world.scenario.routes), first.effects)
    }

    /// A local handler said something.
    func take(_ outcome: HandlerOutcome) {
        act { [self] in
            world.tell(name, outcome.sketch(nil))
            switch outcome {
            case .report(let id, let event, let final):
                if final { handlers?.ended(id) }
                world.chronicle.said(id, event, final: final, at: world.now)
                decide(.localReport(id, event: event, final: final))
            case .failed(let id, let failure):
                handlers?.ended(id)
                world.chronicle.failed(id, failure, at: world.now)
                decide(
                    .localFailed(id, retryable: failure.retryable, delay: failure.delay, reason: failure.reason))
            }
        }
    }

    /// What the machine says of the effects that have not ended.
    var statuses: [EffectID: EffectSummary] {
        var statuses: [EffectID: EffectSummary] = [:]
        var last: EffectID?
        while true {
            let page = machine.statuses(of: nil, after: last, limit: Int(ClientRequest.maximumPage), at: world.now)
            for status in page.effects { statuses[status.id] = status }
            last = page.effects.last?.id
            guard page.more, last != nil else { return statuses }
        }
    }
}

extension HandlerOutcome {
    func sketch(_ event: String?) -> String {
        switch self {
        case .report(let id, nil, _): "ends \(id) without an event"
        case .report(let id, _, let final): "\(final ? "ends" : "goes on with") \(id)\(event.map { ": \($0)" } ?? "")"
        case .failed(let id, let failure):
            "fails \(id)\(failure.retryable ? "" : " for good"): \(failure.reason)"
        }
    }
}

extension Chronicle {
    /// A real handler reports an event, or its end.
    func said(_ id: AttemptID, _ event: Payload?, final: Bool, at now: Moment) {
        emitted(id, event, final: final)
        guard final, event == nil, runs[id]?.isCancelled == true else { return }
        failed(id, retryable: true, delay: 0, reason: "cancelled", at: now)
    }

    func failed(_ id: AttemptID, _ failure: HandlerFailure, at now: Moment) {
        failed(id, retryable: failure.retryable, delay: failure.delay, reason: failure.reason, at: now)
    }
}
