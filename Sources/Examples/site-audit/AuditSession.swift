import SiteAudit
import Synchronization

/// The meeting point of the loop's local effects and the task that asked for the audit.
///
/// Effects of earlier runs, which a restarted coordinator runs again, carry other ids and are left alone.
final class AuditSession: Sendable {
    private struct State {
        var request: String?
        /// Whether anything was done for it but telling what is known.
        var isNew = false
        var display: ProgressDisplay?
        /// Each request has its own: a stream whose reader was cancelled has ended.
        var finishes = AsyncStream.makeStream(of: Finish.self)
    }

    private let state = Mutex(State())

    /// Progress is shown from now on, for this request; called whenever this process begins to run the loops.
    func open(_ request: String, display: ProgressDisplay?) {
        state.withLock { $0 = State(request: request, display: display) }
    }

    /// May be called on any thread.
    func show(_ progress: AuditProgress) {
        state.withLock { state in
            guard progress.request == state.request else { return }
            state.isNew = true
            state.display?.show(progress)
        }
    }

    /// May be called on any thread.
    func close(_ finish: Finish) {
        state.withLock { state in
            guard finish.request == state.request else { return }
            state.display?.clear()
            state.display = nil
            state.finishes.continuation.yield(finish)
        }
    }

    /// Waits for the outcome of the request that was opened last, and whether it is new; `nil` when the task is cancelled.
    ///
    /// To be called once for each.
    func outcome() async -> (outcome: Outcome, isNew: Bool)? {
        for await finish in state.withLock(\.finishes.stream) {
            return (finish.outcome, state.withLock(\.isNew))
        }
        return nil
    }
}
