import Dispatch
import Logging
import MobiusDriver
import MobiusEngine
import MobiusJournal
import MobiusRuntime
import MobiusTransport
import MobiusWire
import Synchronization

/// Listens where a coordinator of a cluster is known, and tells workers and clients where the loops are run.
///
/// It runs no loops: it answers each HELLO and each request with MOVED. So a coordinator that stands by can be asked, and
/// every coordinator can be asked first. It has a thread and sockets of its own, and the same keys and limits.
final class RedirectServer: Sendable {
    private let wakeUp: WakeUp
    private let isClosed = Atomic(false)
    private let view: @Sendable () -> [ShardState]
    private let onFailure: @Sendable () -> Void
    private let failed = Mutex<(any Error)?>(nil)

    /// Makes a server; ``open(_:security:logger:)`` opens it.
    ///
    /// - Parameters:
    ///   - wakeUp: To be signalled when the view is another.
    ///   - view: The shards and their leases as they are known now; called on its thread.
    ///   - onFailure: Called on its thread when its sockets fail: nobody finds this coordinator any more.
    init(
        wakeUp: WakeUp, view: @escaping @Sendable () -> [ShardState], onFailure: @escaping @Sendable () -> Void
    ) {
        self.wakeUp = wakeUp
        self.view = view
        self.onFailure = onFailure
    }

    /// The reason why it serves nobody any more; `nil` while it does.
    var failure: (any Error)? { failed.withLock { $0 } }

    /// Starts the thread that binds the sockets and serves them, and waits until they are bound.
    ///
    /// - Returns: the endpoints for workers and for clients, with their actual ports.
    /// - Throws: ``CoordinatorError`` for endpoints that cannot be bound.
    func open(
        _ setting: CoordinatorSettings, security: EdgeSecurity, logger: Logger
    ) throws -> (workers: String, clients: String?) {
        let bound = Mutex<Result<(workers: String, clients: String?), any Error>?>(nil)
        let isBound = DispatchSemaphore(value: 0)
        DetachedThread.run(named: "door") { [self, wakeUp] in
            let sockets: DoorSockets
            do {
                sockets = try DoorSockets(setting, security: security, logger: logger) { wakeUp.signal() }
                let endpoints = try sockets.endpoints
                bound.withLock { $0 = .success(endpoints) }
            } catch {
                bound.withLock { $0 = .failure(error) }
                isBound.signal()
                return
            }
            isBound.signal()
            do {
                try serve(sockets)
            } catch {
                failed.withLock { $0 = error }
                onFailure()
            }
        }
        isBound.wait()
        guard let outcome = bound.withLock({ $0 }) else {
            preconditionFailure("The thread signals when it has the outcome.")
        }
        return try outcome.get()
    }

    /// Ends its thread, which closes the sockets.
    func close() {
        isClosed.store(true, ordering: .releasing)
        wakeUp.signal()
    }

    private func serve(_ sockets: DoorSockets) throws {
        var poller = Poller()
        let wakeUp = poller.add(self.wakeUp)
        sockets.add(to: &poller)
        while !isClosed.load(ordering: .acquiring) {
            let deadline = sockets.nextDeadline
            try poller.wait(timeout: deadline.map { max(.zero, $0 - Moment.current) })
            if poller.isReadable(wakeUp) { self.wakeUp.drain() }
            var more = true
            while more, !isClosed.load(ordering: .acquiring) {
                more = try sockets.answer(DoorView(shards: view()))
            }
        }
    }

}

/// The shards of a cluster, as far as is known; other processes have written it, perhaps of other versions.
private struct DoorView {
    let shards: [ShardState]

    /// The number of shards that workers are told.
    var count: UInt32 { UInt32(clamping: min(max(1, shards.count), ClusterMap.maximumShards)) }

    /// Returns the endpoint at which workers reach the owner of a shard.
    func workers(of shard: UInt32) -> String? { lease(of: shard).flatMap { Self.possible($0.holder.workers) } }

    /// The answer to clients.
    var answer: ClientAnswer {
        let clients = lease(of: 0).flatMap { Self.possible($0.holder.clients) }
        return .moved(endpoint: clients, map: shards.count > 1 ? ClusterMap(shards) : nil)
    }

    private func lease(of shard: UInt32) -> Lease? {
        shards.first { $0.shard == shard }?.lease.flatMap { $0.remaining > .zero ? $0 : nil }
    }

    static func possible(_ endpoint: String) -> String? { Moved.isPossible(endpoint: endpoint) ? endpoint : nil }
}

extension ClusterMap {
    /// The shards as they were read from the database; `nil` when they are too many.
    init?(_ shards: [ShardState]) {
        self.init(
            shards.map { shard in
                let lease = shard.lease.flatMap { $0.remaining > .zero ? $0 : nil }
                return Shard(slices: shard.slices, clients: lease.flatMap { DoorView.possible($0.holder.clients) })
            })
    }
}

/// The sockets of a ``RedirectServer``, used by its thread.
private final class DoorSockets {
    /// The messages of workers that are answered in one round.
    private static let round = 64
    /// The time that a worker may wait for the owner of its shard, so that it need not ask again: 500 ms.
    private static let patience = Duration.milliseconds(500)
    /// The most workers that wait so; further ones are told at once that there is no owner.
    private static let mostWaiting = 4096

    /// A worker that waits for the owner of its shard.
    private struct Waiting {
        let sender: PeerID
        let hello: UInt32
        let shard: UInt32
        let until: Moment
    }

    private var waiting: [Waiting] = []

    private let context = Context()
    private let authenticator: ZAPAuthenticator?
    private let gate: ConnectionLimiter
    private let socket: Socket
    private let monitor: SocketMonitor
    private let clients: ClientPort?
    // Reused memory.
    private var message = Message()
    private var sender = PeerID()
    private var frame: [UInt8] = []

    init(
        _ setting: CoordinatorSettings, security: EdgeSecurity, logger: Logger, changed: @escaping @Sendable () -> Void
    ) throws {
        let admission = try security.admission(binding: [setting.bind] + (setting.clientBind.map { [$0] } ?? []))
        authenticator = try security.authenticator(admission, in: context, logger: logger, changed: changed)
        gate = ConnectionLimiter(admission, security.limits(.workers))
        socket = try context.workerSocket(payloads: setting.payloadLimit, admission)
        monitor = try socket.monitor()
        try socket.listen(at: setting.bind)
        clients = try setting.clientBind.map { [context] endpoint in
            try ClientPort(
                at: endpoint, epoch: 0, payloads: setting.payloadLimit, admission, security, logger: logger,
                context: context)
        }
    }

    var endpoints: (workers: String, clients: String?) {
        get throws { (try socket.lastEndpoint, try clients?.endpoint) }
    }

    var nextDeadline: Moment? {
        Moment.earliest(gate.nextDeadline, clients?.nextDeadline, waiting.first?.until)
    }

    func add(to poller: inout Poller) {
        _ = poller.add(socket)
        _ = poller.add(monitor)
        _ = clients?.add(to: &poller)
    }

    /// Answers what waits.
    ///
    /// - Returns: whether more may wait.
    func answer(_ view: DoorView) throws -> Bool {
        let now = Moment.current
        while let event = try monitor.next() { _ = gate.handle(event, at: now) }
        // A connection that has its answer and stays is of no use: it ends as one that never says HELLO.
        gate.endOverdue(at: now)
        try answerWaiting(view, at: now)
        let more =
            try clients?.receive { [clients] request, _ in
                try clients?.answer(request, view.answer)
            } ?? false
        for _ in 0..<Self.round {
            switch try socket.receive(from: &sender, into: &message) {
            case .nothing: return more
            case .malformed: continue
            case .message:
                let envelope = message.withBytes { try? Envelope<WorkerMessage>(decoding: $0) }
                guard case .hello(let hello)? = envelope?.message else { continue }
                let worker = Waiting(
                    sender: sender, hello: hello.number, shard: hello.shard, until: now + Self.patience)
                if hello.number > 0, view.workers(of: hello.shard) == nil, waiting.count < Self.mostWaiting {
                    waiting.append(worker)
                } else {
                    try answer(worker, view)
                }
            }
        }
        return true
    }

    /// Answers those whose owner is known now, or that have waited long enough.
    private func answerWaiting(_ view: DoorView, at now: Moment) throws {
        guard !waiting.isEmpty else { return }
        let all = waiting
        waiting = all.filter { view.workers(of: $0.shard) == nil && now < $0.until }
        for worker in all where view.workers(of: worker.shard) != nil || worker.until <= now {
            try answer(worker, view)
        }
    }

    private func answer(_ worker: Waiting, _ view: DoorView) throws {
        let moved = Moved(endpoint: view.workers(of: worker.shard), hello: worker.hello, shards: view.count)
        frame.removeAll(keepingCapacity: true)
        Envelope<CoordinatorMessage>(epoch: 0, session: 0, message: .moved(moved)).encode(into: &frame)
        _ = try socket.send(to: worker.sender, frame)
    }
}
