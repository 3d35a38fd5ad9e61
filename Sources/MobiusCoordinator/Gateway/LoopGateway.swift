import MobiusDriver
import MobiusEngine
import MobiusKeys
import MobiusTelemetry
import MobiusWire
import Synchronization
import ZeroMQ

/// The requests of an HTTP server in this process: it passes them to the socket thread and their answers back.
///
/// A request takes the same way as one from the client socket, and its limits are kept by the same ledger. Tasks call
/// ``ask(_:as:traceparent:)``; the socket thread calls ``receive(_:)`` and ``answer(_:_:)``.
final class LoopGateway: Sendable {
    /// A request that was admitted and waits for the socket thread.
    private struct Admitted {
        let id: RequestID
        let request: ClientRequest
        let traceparent: String
        /// Whether the answer is masked, if the program masks any.
        let isMasked: Bool
        /// The caller's name; `nil` where no keys are.
        let sender: String?
    }

    /// A task that waits for an answer.
    private struct Waiting {
        let continuation: CheckedContinuation<ClientAnswer, Never>
        /// Who watches a model, which may take long enough for rights to change; `nil` for other requests.
        let watcher: (caller: LoopCaller, request: ClientRequest)?
    }

    private enum Phase {
        case starting, running, stopped
    }

    private struct State {
        var phase = Phase.starting
        var admission: Admission?
        var ledger: ClientLedger
        var next: UInt64 = 1
        var admitted: [Admitted] = []
        var waiting: [RequestID: Waiting] = [:]
        /// Watching requests whose task waits no longer; they keep their places in the ledger until they are answered.
        var unwatched: [(loop: LoopID, id: RequestID)] = []
        /// The version of the allow-list by which all that wait may wait.
        var version = 0
    }

    private let maximumPayload: Int
    private let state: Mutex<State>
    private let wakeUp: WakeUp

    /// The most requests that ``receive(_:)`` passes on in one call.
    private static let round = 64

    init(maximumPayload: UInt32, wakeUp: WakeUp) {
        self.maximumPayload = Int(maximumPayload)
        self.wakeUp = wakeUp
        state = Mutex(
            State(ledger: ClientLedger(.gateway(maximumPayload: maximumPayload), first: RequestID.firstOfGateway)))
    }

    // MARK: - For tasks

    /// Whether ``caller(withToken:)`` can tell.
    var knowsTokens: Bool { state.withLock { $0.admission != nil } }

    func caller(withToken token: String) -> LoopCaller? {
        let hash = TokenHash(of: token).text
        return state.withLock { $0.admission }?.entry(hash).map { _ in .holder(hash) }
    }

    func refusal(of caller: LoopCaller, for request: ClientRequest) -> ClientRefusal? {
        switch caller {
        case .server, .thisMachine: nil
        case .holder(let hash):
            state.withLock { $0.admission }?.refusal(ofClientWith: hash, for: request)
                .map { ClientRefusal(.forbidden, $0) }
        }
    }

    /// Whether a caller may read what the program masks; without keys everybody may.
    func mayReadUnmasked(_ caller: LoopCaller) -> Bool {
        guard case .holder(let hash) = caller else { return true }
        return state.withLock { $0.admission }?.permits(.unmasked, hash) ?? false
    }

    /// The caller's name in the allow-list; `nil` where no keys are.
    func name(of caller: LoopCaller) -> String? {
        guard case .holder(let hash) = caller else { return nil }
        return state.withLock { $0.admission }?.sender(hash)
    }

    func ask(_ request: ClientRequest, as caller: LoopCaller, traceparent: String) async -> ClientAnswer {
        if let refusal = refusal(of: caller, for: request) { return .refused(refusal) }
        guard request.payloadBytes <= maximumPayload else {
            return .refused(.tooLarge(request.payloadBytes, maximumPayload))
        }
        guard let id = admit(request, caller) else { return .busy(retryAfter: isRunning ? 100 : 1000) }
        let answer = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                var watcher: (LoopCaller, ClientRequest)?
                if case .watch = request { watcher = (caller, request) }
                enqueue(
                    Admitted(
                        id: id, request: request, traceparent: traceparent, isMasked: !mayReadUnmasked(caller),
                        sender: name(of: caller)),
                    Waiting(continuation: continuation, watcher: watcher))
                // A cancellation before this point came too early to find the continuation.
                if Task.isCancelled { resume(id, .busy(retryAfter: 1000)) }
            }
        } onCancel: {
            resume(id, .busy(retryAfter: 1000))
        }
        // A watcher waits for long, and its token may have been revoked meanwhile.
        if case .watch = request, let refusal = refusal(of: caller, for: request) { return .refused(refusal) }
        return answer
    }

    /// Whether the socket thread takes requests.
    var isRunning: Bool { state.withLock { $0.phase == .running } }

    private func admit(_ request: ClientRequest, _ caller: LoopCaller) -> RequestID? {
        state.withLock { state in
            guard state.phase == .running else { return nil }
            defer { state.next += 1 }
            let admission = state.ledger.admit(
                state.next, from: caller.peer, bytes: request.payloadBytes, as: request.kind)
            guard case .taken(let id) = admission else { return nil }
            return id
        }
    }

    private func enqueue(_ admitted: Admitted, _ waiting: Waiting) {
        let isStopped = state.withLock { state in
            guard state.phase == .running else { return true }
            state.waiting[admitted.id] = waiting
            state.admitted.append(admitted)
            return false
        }
        if isStopped {
            waiting.continuation.resume(returning: .busy(retryAfter: 1000))
        } else {
            wakeUp.signal()
        }
    }

    /// Ends a task's wait before its request is answered.
    private func resume(_ id: RequestID, _ answer: ClientAnswer) {
        let waiting = state.withLock { state in
            let waiting = state.waiting.removeValue(forKey: id)
            if case .watch(let loop, _)? = waiting?.watcher?.request { state.unwatched.append((loop, id)) }
            return waiting
        }
        guard let waiting else { return }
        waiting.continuation.resume(returning: answer)
        if waiting.watcher != nil { wakeUp.signal() }
    }

    // MARK: - For the socket thread

    /// Admits requests from now on, by the rights in the allow-list if there is one.
    func open(_ admission: Admission?) {
        state.withLock { state in
            guard state.phase == .starting else { return }
            (state.phase, state.admission) = (.running, admission)
        }
    }

    /// Answers all waiting and all further requests with `busy`, until ``open(_:)`` is called again.
    func pause() { end(.starting) }

    /// Answers all waiting and all further requests with `busy`, so that the coordinator's next run can answer them.
    func close() { end(.stopped) }

    private func end(_ phase: Phase) {
        let waiting = state.withLock { state in
            if state.phase != .stopped { state.phase = phase }
            for id in state.waiting.keys { _ = state.ledger.settle(id) }
            for (_, id) in state.unwatched { _ = state.ledger.settle(id) }
            (state.admitted, state.unwatched) = ([], [])
            defer { state.waiting = [:] }
            return state.waiting.values
        }
        for waiting in waiting { waiting.continuation.resume(returning: .busy(retryAfter: 1000)) }
    }

    /// Passes on admitted requests; each must be answered once, during the call or later.
    ///
    /// What is passed to `unwatch` was passed to `take` before, and may be answered at once: nobody waits for the next event.
    ///
    /// - Returns: whether more requests wait.
    func receive(
        _ take: (RequestID, ClientRequest, _ traceparent: String, _ isMasked: Bool, _ sender: String?) throws -> Void,
        unwatch: (LoopID, RequestID) throws -> Void
    ) throws -> Bool {
        refuseRevoked()
        let (admitted, unwatched, more) = state.withLock { state in
            guard state.admitted.count > Self.round else {
                defer {
                    state.admitted.removeAll(keepingCapacity: true)
                    state.unwatched.removeAll(keepingCapacity: true)
                }
                return (state.admitted, state.unwatched, false)
            }
            defer { state.admitted.removeFirst(Self.round) }
            return (Array(state.admitted.prefix(Self.round)), [], true)
        }
        for next in admitted {
            try take(next.id, next.request, next.traceparent, next.isMasked, next.sender)
        }
        for (loop, id) in unwatched { try unwatch(loop, id) }
        return more
    }

    /// Answers a request; does nothing if the request no longer waits.
    func answer(_ id: RequestID, _ answer: ClientAnswer) {
        let waiting = state.withLock { state in
            _ = state.ledger.settle(id)
            return state.waiting.removeValue(forKey: id)
        }
        waiting?.continuation.resume(returning: answer)
    }

    /// Refuses the watchers that may not watch any more, after a change of the allow-list.
    private func refuseRevoked() {
        let watchers = state.withLock { state -> [(RequestID, LoopCaller, ClientRequest)] in
            guard let version = state.admission?.version, version != state.version else { return [] }
            state.version = version
            return state.waiting.compactMap { id, waiting in waiting.watcher.map { (id, $0.caller, $0.request) } }
        }
        for (id, caller, request) in watchers {
            if let refusal = refusal(of: caller, for: request) { resume(id, .refused(refusal)) }
        }
    }
}

extension RequestID {
    /// The first number of a request from a ``LoopGateway``; those from the client socket have lower ones.
    static let firstOfGateway = firstOfClients + 1 << 62
    /// Whether the request is from a ``LoopGateway``.
    var isOfGateway: Bool { number >= Self.firstOfGateway }
}

extension LoopCaller {
    /// The name under which the ledger counts its requests.
    fileprivate var peer: PeerID {
        switch self {
        case .server, .thisMachine: PeerID()
        case .holder(let hash): PeerID(Array(hash.utf8)) ?? PeerID()
        }
    }
}

extension ClientPort.Limits {
    /// The limits of requests over HTTP; with tokens, one of them gets half of each.
    fileprivate static func gateway(maximumPayload: UInt32) -> ClientPort.Limits {
        var limits = ClientPort.Limits()
        (limits.waiting, limits.waitingPerPeer) = (1024, 512)
        (limits.lists, limits.listsPerPeer) = (32, 16)
        (limits.watches, limits.watchesPerPeer) = (4096, 2048)
        limits.waitingBytes += Int(maximumPayload)  // room for the largest beside others
        return limits
    }
}
