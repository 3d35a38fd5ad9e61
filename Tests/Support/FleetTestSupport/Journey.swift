import Synchronization

/// What happened, in order, and a way to wait for it: tests wait for what they expect, with a deadline, and never sleep.
public final class Journey<Element: Sendable>: Sendable {
    private struct State {
        var elements: [Element] = []
        var waiters:
            [(matches: @Sendable ([Element]) -> Bool, continuation: CheckedContinuation<Bool, Never>, id: Int)] =
                []
        var nextID = 0
    }

    private let state = Mutex(State())

    /// Makes an empty journey.
    public init() {}

    /// Everything so far.
    public var elements: [Element] { state.withLock { $0.elements } }

    /// Adds what happened; from any thread.
    public func add(_ element: Element) {
        let done = state.withLock { state in
            state.elements.append(element)
            let elements = state.elements
            let done = state.waiters.filter { $0.matches(elements) }
            state.waiters.removeAll { waiter in done.contains { $0.id == waiter.id } }
            return done
        }
        for waiter in done { waiter.continuation.resume(returning: true) }
    }

    /// Waits until everything so far satisfies the condition.
    ///
    /// - Parameter limit: Only for a test that is about the limit; otherwise ``Patience`` decides.
    /// - Throws: ``Deadline`` with what did happen, when the time is over.
    public func wait(
        within limit: Duration? = nil, for what: String = "what was expected",
        until matches: @escaping @Sendable ([Element]) -> Bool
    ) async throws {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        let wait = PatientWait(within: limit)
        let timer = Task {
            while !wait.isOver { try await Task.sleep(until: wait.end, clock: .continuous) }
            expire(id)
        }
        defer { timer.cancel() }
        let came = await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if matches(state.elements) { return true }
                state.waiters.append((matches, continuation, id))
                return false
            }
            if isThere { continuation.resume(returning: true) }
        }
        if !came { throw Deadline(what: what, limit: wait.length, happened: elements.map { "\($0)" }) }
    }

    private func expire(_ id: Int) {
        let waiter = state.withLock { state in
            let index = state.waiters.firstIndex { $0.id == id }
            return index.map { state.waiters.remove(at: $0) }
        }
        waiter?.continuation.resume(returning: false)
    }
}

/// Something did not happen in time.
public struct Deadline: Error, CustomStringConvertible {
    let what: String
    let limit: Duration
    let happened: [String]

    /// What was waited for, and the last that happened.
    public var description: String {
        "Waited \(limit) in vain for \(what). The last that happened:\n" + happened.suffix(40).joined(separator: "\n")
    }
}
