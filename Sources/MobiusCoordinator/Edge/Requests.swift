import MobiusEngine
import Synchronization

/// The senders outside of the effects that wait for the commit of their events.
final class Requests: Sendable {
    private struct State {
        var next: UInt64 = 1
        var waiting: [RequestID: CheckedContinuation<Void, any Error>] = [:]
        var closed: CoordinatorError?
    }

    private let state = Mutex(State())

    /// Registers a sender, unless the coordinator has stopped: then the sender hears so at once.
    func open(_ continuation: CheckedContinuation<Void, any Error>) -> RequestID? {
        let result: Result<RequestID, CoordinatorError> = state.withLock { state in
            if let closed = state.closed { return .failure(closed) }
            let id = RequestID(state.next)
            state.next += 1
            state.waiting[id] = continuation
            return .success(id)
        }
        switch result {
        case .success(let id): return id
        case .failure(let error):
            continuation.resume(throwing: error)
            return nil
        }
    }

    func answer(_ id: RequestID, _ result: Result<Void, any Error>) {
        state.withLock { $0.waiting.removeValue(forKey: id) }?.resume(with: result)
    }

    /// Refuses all that wait and all that come later.
    func close(_ error: CoordinatorError) {
        let waiting = state.withLock { state in
            state.closed = error
            defer { state.waiting = [:] }
            return state.waiting.values
        }
        for continuation in waiting { continuation.resume(throwing: error) }
    }
}
