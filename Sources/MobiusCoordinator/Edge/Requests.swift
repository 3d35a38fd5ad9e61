import MobiusDriver
import MobiusEngine
import MobiusWire
import Synchronization

/// The senders in this process that wait for the commit of their events.
final class Requests: LocalSenders, Sendable {
    private struct State {
        var next: UInt64 = 1
        var waiting: [RequestID: CheckedContinuation<EventConfirmation, any Error>] = [:]
        var closed: CoordinatorError?
        /// The W3C trace contexts of senders that have one.
        var traceparents: [RequestID: String] = [:]
    }

    private let state = Mutex(State())

    /// Registers a sender; if the coordinator has stopped, resumes it at once with the error and returns `nil`.
    func open(_ continuation: CheckedContinuation<EventConfirmation, any Error>, traceparent: String = "") -> RequestID?
    {
        let result: Result<RequestID, CoordinatorError> = state.withLock { state in
            if let closed = state.closed { return .failure(closed) }
            let id = RequestID(state.next)
            state.next += 1
            state.waiting[id] = continuation
            if !traceparent.isEmpty { state.traceparents[id] = traceparent }
            return .success(id)
        }
        switch result {
        case .success(let id): return id
        case .failure(let error):
            continuation.resume(throwing: error)
            return nil
        }
    }

    func answer(_ id: RequestID, _ answer: ClientAnswer) {
        let waiter = state.withLock { state in
            if !state.traceparents.isEmpty { state.traceparents[id] = nil }
            return state.waiting.removeValue(forKey: id)
        }
        waiter?.resume(with: answer.confirmation.mapError { $0 as any Error })
    }

    /// The W3C trace context of a waiting sender, or empty.
    func traceparent(of id: RequestID) -> String {
        state.withLock { $0.traceparents[id] ?? "" }
    }

    /// Resumes all waiting senders with this error.
    func fail(_ error: CoordinatorError) {
        let waiting = state.withLock { state in
            state.traceparents = [:]
            defer { state.waiting = [:] }
            return state.waiting.values
        }
        for continuation in waiting { continuation.resume(throwing: error) }
    }

    /// Resumes all waiting and all future senders with this error.
    func close(_ error: CoordinatorError) {
        let waiting = state.withLock { state in
            state.closed = error
            defer { state.waiting = [:] }
            return state.waiting.values
        }
        for continuation in waiting { continuation.resume(throwing: error) }
    }
}
