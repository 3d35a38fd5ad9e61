import MobiusCore
import MobiusEngine
import MobiusRuntime
import MobiusWire

/// A step of a coordinator at which it can be killed.
enum CoordinatorStep {
    case beforeCommit
    case afterCommit
    case afterSend
}

extension HandlerOutcome {
    func summary(_ event: String?) -> String {
        switch self {
        case .report(let id, nil, _): "ends \(id) without an event"
        case .report(let id, _, let final):
            "\(final ? "ends" : "sends an event of") \(id)\(event.map { ": \($0)" } ?? "")"
        case .failed(let id, let failure):
            "fails \(id)\(failure.retryable ? "" : " for good"): \(failure.reason)"
        }
    }
}

extension History {
    /// Records an event or the end of a real handler.
    func said(_ id: AttemptID, _ event: Payload?, final: Bool, at now: Moment) {
        emitted(id, event, final: final)
        guard final, event == nil, runs[id]?.isCancelled == true else { return }
        failed(id, retryable: true, delay: 0, reason: "cancelled", at: now)
    }

    func failed(_ id: AttemptID, _ failure: HandlerFailure, at now: Moment) {
        failed(id, retryable: failure.retryable, delay: failure.delay, reason: failure.reason, at: now)
    }
}
