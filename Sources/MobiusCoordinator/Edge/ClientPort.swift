package import Logging
import MobiusDriver
package import MobiusEngine
import MobiusRuntime
package import MobiusTransport
package import MobiusWire

/// The socket for clients: it receives requests, keeps track of those that wait, and sends the answers.
///
/// Used only by the socket thread. It never blocks. An answer that cannot be sent at once is
/// dropped: the client repeats its request, and every request is safe to repeat. A client that does not read therefore
/// cannot block the coordinator.
package final class ClientPort {
    /// The limits of a port.
    package struct Limits: Sendable {
        /// Requests that wait for answers, of all clients.
        package var waiting = 4096
        /// Requests that wait for answers, of one client.
        package var waitingPerPeer = 1024
        /// Waiting requests for a list, of all clients; a list may take long to collect, and its answer is large.
        package var lists = 64
        /// Waiting requests for a list, of one client.
        package var listsPerPeer = 16
        /// Requests that watch a model, of all clients; they wait for long.
        package var watches = 16384
        /// Requests that watch a model, of one client.
        package var watchesPerPeer = 4096
        /// Payload bytes of all waiting requests.
        package var waitingBytes = 64 << 20
        /// Frames received by one call of ``ClientPort/receive(_:unwatch:)``.
        package var round = 64
        /// The largest payload in bytes.
        package var maximumPayload = PayloadLimit.standard
        /// The retry delay in a `busy` answer, in milliseconds.
        package var retryAfter: UInt32 = 100
        /// Peers remembered for having sent an undecodable frame, so that each gets one refusal for it.
        package var refusedPeers = 1024

        /// Bytes of frames received by one call of ``ClientPort/receive(_:unwatch:)``; after them other work has its turn.
        package var roundBytes = 8 << 20
        /// Bytes of answers of more than 256 bytes that may be unwritten for one client, beyond one answer.
        package var unwrittenBytes = 64 << 20
        /// The same for all clients together.
        package var unwrittenBytesOfAll = 256 << 20
        /// Further bytes, for clients that have read everything before.
        package var unwrittenReserve = 64 << 20
        /// Bytes that libzmq may read ahead from one client, beyond two frames of the largest size.
        package var bytesAhead = 64 << 20

        /// Makes the default limits.
        package init() {}

        /// The longest frame; a longer one ends its connection.
        ///
        /// It exceeds the payload limit, so that a payload slightly too large gets a refusal with a reason.
        package var maximumFrame: Int {
            Int(maximumPayload) + min(Int(maximumPayload), 1 << 20) + (64 << 10)
        }

        /// The number of frames that libzmq may read ahead from one client; libzmq counts frames, not bytes.
        package var framesAhead: Int { max(2, min(128, bytesAhead / maximumFrame)) }
    }

    private let socket: Socket
    private let monitor: SocketMonitor
    let gate: ConnectionLimiter
    private let epoch: UInt64
    let limits: Limits
    private let logger: Logger
    private var ledger: ClientLedger
    private var order = OrderGate()
    private var isStopping = false
    /// The unwritten bytes of answers that are not small, of all clients and by client.
    private let unwritten = OutgoingLoad()
    private var loads: [PeerID: OutgoingLoad] = [:]
    /// The number of loads at which those of clients that have read all are forgotten.
    private var sweepsAt = 256
    /// Answers up to this size in bytes are not counted: confirmations, for which counting would cost more than sending.
    private static let smallAnswer = 256
    /// The W3C trace context of the request that ``receive(_:unwatch:)`` is passing on, or empty.
    package private(set) var traceparent = ""
    /// Whether the request that ``receive(_:unwatch:)`` is passing on gets a masked answer, if the program masks any.
    package private(set) var masksAnswer = false
    /// The name of who sends the event, or asks as an operator, that ``receive(_:unwatch:)`` is passing on; `nil` where no keys are, and for
    /// other requests.
    package private(set) var senderName: String?
    /// The rights of the caller of the request that ``receive(_:unwatch:)`` is passing on, if it asks for them.
    package private(set) var callerRights: CallerRights?
    /// The number of shards that the sender of the request that is being taken knows.
    package private(set) var knownShards: UInt32 = 1
    /// Those who wait for a model, by their rights, which may end meanwhile; without keys nobody is noted.
    var watchers = Watchers()
    /// Peers that got a refusal for an undecodable frame, oldest first.
    private var refusedPeers: [PeerID] = []
    private var throttle = LogThrottle()

    // Reused memory.
    private var frame: [UInt8] = []
    private var message = Message()
    private var sender = PeerID()

    /// Binds the socket.
    ///
    /// - Parameter admission: The rights of keys; `nil` for a socket without keys.
    /// - Throws: `ZeroMQError` when the endpoint cannot be bound.
    package init(
        bind endpoint: String, epoch: UInt64, limits: Limits = Limits(), admission: Admission? = nil,
        connections: ConnectionLedger.Limits = ConnectionLedger.Limits(), logger: Logger, context: Context
    ) throws(ZeroMQError) {
        self.epoch = epoch
        self.limits = limits
        self.logger = logger
        ledger = ClientLedger(limits)
        gate = ConnectionLimiter(admission, connections)
        socket = try context.socket(.router)
        monitor = try socket.monitor()
        try socket.set(.routerMandatory, to: true)  // otherwise answers to disconnected clients count as sent
        try socket.set(.backlog, to: 1024)
        try socket.set(.maxMessageSize, to: limits.maximumFrame)
        try socket.set(.receiveHighWaterMark, to: limits.framesAhead)
        // Fits a burst of all answers. Far below, clients that read promptly lose answers: libzmq updates its count of
        // read messages every millisecond, or every 100 messages (at 8, the 13th quick answer in a row was refused).
        try socket.set(.sendHighWaterMark, to: max(1000, 2 * limits.waitingPerPeer))
        try socket.endDeadConnections(after: 4)  // without ZMTP pings: see `heartbeatInterval`
        try socket.set(.linger, to: .milliseconds(500))
        try socket.set(.handshakeInterval, to: ConnectionLimiter.handshakeTime)
        try admission?.lock(socket, .clients)
        try socket.bind(endpoint)
    }

    /// The endpoint for clients, with the actual port.
    package var endpoint: String {
        get throws(ZeroMQError) { try socket.lastEndpoint }
    }

    /// Adds the port's sockets to a poller; the port must outlive it.
    ///
    /// - Returns: the added items; when one is readable, call ``receive(_:unwatch:)``.
    package func add(to poller: inout Poller) -> [Poller.Item] {
        [poller.add(socket), poller.add(monitor)]
    }

    /// Whether ``receive(_:unwatch:)`` has work to do even if nothing was received.
    func isDue(at now: Moment) -> Bool { gate.isDue(at: now) }

    /// The time at which ``receive(_:unwatch:)`` must be called at the latest, even if nothing was received.
    package var nextDeadline: Moment? { gate.nextDeadline }

    /// Processes connections that were made or ended, and ends those that are overdue or revoked.
    private func watchConnections() throws(ZeroMQError) {
        let now = Moment.current
        while let event = try monitor.next() {
            _ = gate.handle(event, at: now)
            log(event)
        }
        gate.endOverdue(at: now)
        _ = gate.takeRevoked(at: now) { [gate] key, _ in gate.admission?.admits(key, to: .clients) ?? true }
    }

    private func log(_ event: MonitorEvent) {
        guard event.isFailure, let unlogged = throttle.admit(at: .current) else { return }
        logger.notice("client's connection failed", metadata: ["event": "\(event)", "unlogged": "\(unlogged)"])
    }

    /// The number of requests that wait for answers.
    package var waiting: Int { ledger.count }

    /// Receives requests, up to ``Limits/round`` of them.
    ///
    /// Each request passed to `handle` must be answered once, during the call or later. Invalid requests, and those
    /// beyond the limits, are answered here. What is passed to `unwatch` was passed to `handle` before, and may be answered
    /// at once: nobody waits for the next model.
    ///
    /// - Returns: whether more requests may be waiting.
    package func receive(
        _ handle: (RequestID, ClientRequest) throws -> Void, unwatch: (LoopID, RequestID) throws -> Void = { _, _ in }
    ) throws -> Bool {
        try watchConnections()
        try refuseRevoked(unwatch)
        var bytes = 0
        for _ in 0..<limits.round {
            guard bytes <= limits.roundBytes else { return true }
            switch try socket.receive(from: &sender, into: &message) {
            case .nothing: return false
            case .malformed(let frames):
                try refuse(nil, WireError(.trailingBytes, "\(frames) frames instead of one"))
            case .message:
                bytes += message.count
                if try isTooLong() { continue }
                let asked: NumberedRequest
                do throws(WireError) {
                    asked = try message.withBytes { (bytes) throws(WireError) in try NumberedRequest(decoding: bytes) }
                } catch {
                    let number = message.withBytes { NumberedRequest.number(of: $0) }
                    if try rejectedWorker() { continue }
                    try refuse(number, error)
                    continue
                }
                let caller = Caller(of: asked, message, gate.admission)
                if try isForbidden(asked, caller) { continue }
                if case .unwatch(let loop) = asked.request {
                    if let id = ledger.watch(asked.number, of: sender) { try unwatch(loop, id) }
                    continue
                }
                guard order.admits(asked.number, from: sender, asked.order) else {
                    // It is repeated directly after the one that it must not overtake.
                    try send(.busy(retryAfter: 1), to: sender, asked.number)
                    continue
                }
                guard let id = try admit(asked, caller) else { continue }
                traceparent = asked.traceparent
                masksAnswer = asked.isForPeople || !may(.unmasked, caller)
                watchers.add(id, caller, asked.request, isMasked: !may(.unmasked, caller))
                knownShards = asked.shards
                senderName = name(ofSender: asked, caller)
                if asked.request == .rights { callerRights = rights(of: caller) }
                try handle(id, asked.request)
            }
        }
        return true
    }

    /// Answers a request; does nothing if the request no longer waits.
    package func answer(_ id: RequestID, _ answer: ClientAnswer) throws(ZeroMQError) {
        guard let (peer, number) = ledger.settle(id) else { return }
        watchers.remove(id)
        order.answered(id, number, of: peer, answer)
        try send(answer, to: peer, number)
    }

    /// Answers every further request with `busy`, so that the coordinator's next run can answer it.
    package func stop() {
        isStopping = true
    }

    /// Refuses a request that the client's key does not permit.
    ///
    /// The first request of a connection also registers the connection with its key.
    private func isForbidden(_ asked: NumberedRequest, _ caller: Caller) throws(ZeroMQError) -> Bool {
        var refusal = refusal(of: caller, for: asked.request)
        if !gate.noteActivity(message) {
            try watchConnections()  // the monitor's event for the connection precedes its first request
            if !gate.introduce(message, key: caller.connection, nil, at: .current) {
                refusal = ClientRefusal(.forbidden, "There are too many connections with this key; close some.")
                gate.dismiss(message, at: .current)
            }
        }
        guard let refusal else { return false }
        try send(.refused(refusal), to: sender, asked.number)
        return true
    }

    private func name(ofSender asked: NumberedRequest, _ caller: Caller) -> String? {
        guard let admission = gate.admission else { return nil }
        switch asked.request.access {
        case .send, .operate: return caller.entry.flatMap { admission.name(ofSender: $0) }
        default: return nil
        }
    }

    private func admit(_ asked: NumberedRequest, _ caller: Caller) throws(ZeroMQError) -> RequestID? {
        guard !isStopping else {
            order.answered(asked.number, of: sender, asked.order, .busy(retryAfter: 1000))
            try send(.busy(retryAfter: 1000), to: sender, asked.number)
            return nil
        }
        let bytes = asked.request.payloadBytes
        guard bytes <= Int(limits.maximumPayload) else {
            order.answered(asked.number, of: sender, asked.order, .notFound)
            try refuse(asked.number, ofBytes: bytes)
            return nil
        }
        switch ledger.admit(
            asked.number, from: sender, for: caller.account ?? sender, bytes: bytes, as: asked.request.kind)
        {
        case .taken(let id):
            order.took(id, asked.order)
            return id
        case .known: return nil
        case .full:
            order.answered(asked.number, of: sender, asked.order, .busy(retryAfter: limits.retryAfter))
            try send(.busy(retryAfter: limits.retryAfter), to: sender, asked.number)
            return nil
        }
    }

    private func send(_ answer: ClientAnswer, to peer: PeerID, _ number: UInt64) throws(ZeroMQError) {
        frame.removeAll(keepingCapacity: true)
        NumberedAnswer(epoch: epoch, number: number, answer: answer).encode(into: &frame)
        guard frame.count > Self.smallAnswer else { return try send(to: peer) }
        let load = load(of: peer)
        let isTooMuch = load.bytes > 0 && load.bytes + frame.count > limits.unwrittenBytes
        // So those that do not read cannot use up what those that do need.
        let most = limits.unwrittenBytesOfAll + (load.bytes == 0 ? limits.unwrittenReserve : 0)
        guard !isTooMuch, unwritten.bytes + frame.count <= max(frame.count, most) else {
            return try send(.busy(retryAfter: 1000), to: peer, number)  // the client does not read
        }
        try send(to: peer, counting: load)
    }

    /// The unwritten bytes for a client, without small answers, of which the socket limits the number.
    private func load(of peer: PeerID) -> OutgoingLoad {
        if let load = loads[peer] { return load }
        if loads.count >= sweepsAt {
            loads = loads.filter { $0.value.bytes > 0 }
            sweepsAt = max(256, 2 * loads.count)
        }
        let load = OutgoingLoad(partOf: unwritten)
        loads[peer] = load
        return load
    }

    /// Sends the frame, or drops it.
    private func send(to peer: PeerID, counting load: OutgoingLoad? = nil) throws(ZeroMQError) {
        switch try socket.send(to: peer, frame, counting: load) {
        case .sent, .unreachable, .wouldBlock: break
        }
    }
}

// MARK: - Invalid requests

extension ClientPort {
    /// Refuses an undecodable request: by its number if that can be read, otherwise once per peer.
    private func refuse(_ number: UInt64?, _ error: WireError) throws(ZeroMQError) {
        let isNew = !refusedPeers.contains(sender)
        if isNew {
            if refusedPeers.count == limits.refusedPeers { refusedPeers.removeFirst() }
            refusedPeers.append(sender)
            if let unlogged = throttle.admit(at: .current) {
                logger.notice(
                    "client not understood",
                    metadata: ["peer": "\(sender)", "reason": "\(error)", "unlogged": "\(unlogged)"])
            }
        }
        guard isNew || number != nil else { return }
        let code: ClientRefusal.Code = error.code == .unknownCommand ? .unsupported : .malformed
        try send(.refused(ClientRefusal(code, "Not a request of this version: \(error).")), to: sender, number ?? 0)
    }

    /// Refuses a frame longer than any request with a payload within the limit, before it is decoded and copied.
    private func isTooLong() throws(ZeroMQError) -> Bool {
        guard message.count > Int(limits.maximumPayload) + (64 << 10),
            let number = message.withBytes({ NumberedRequest.number(of: $0) })
        else { return false }
        try refuse(number, ofBytes: message.count)
        return true
    }

    private func refuse(_ number: UInt64, ofBytes bytes: Int) throws(ZeroMQError) {
        try send(.refused(.tooLarge(bytes, limits.maximumPayload)), to: sender, number)
    }

    /// Rejects a worker on the client socket, in the worker protocol; the worker then exits with the reason.
    private func rejectedWorker() throws(ZeroMQError) -> Bool {
        let isWorker = message.withBytes { bytes in
            if case .hello? = try? Envelope<WorkerMessage>(decoding: bytes).message { true } else { false }
        }
        guard isWorker else { return false }
        let sentence = "this is the socket for clients; connect workers to the coordinator's other endpoint"
        frame.removeAll(keepingCapacity: true)
        Envelope<CoordinatorMessage>(epoch: epoch, session: 0, message: .reject(sentence)).encode(into: &frame)
        try send(to: sender)
        return true
    }
}

extension ClientRefusal {
    /// The refusal of an event with this many bytes.
    static func tooLarge(_ bytes: Int, _ most: some BinaryInteger) -> ClientRefusal {
        let reason = "The event has \(bytes) bytes, but this coordinator takes at most \(most): \(PayloadLimit.advice)."
        return ClientRefusal(.tooLarge, reason)
    }
}

extension ClientRequest {
    /// The kind of the request, by what it may wait for.
    var kind: ClientLedger.Kind {
        switch self {
        case .effects, .letters, .quarantine, .loops, .history, .model(_, at: .some): .list
        case .watch: .watch
        default: .usual
        }
    }
}
