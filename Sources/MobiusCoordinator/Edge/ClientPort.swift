package import Logging
import MobiusDriver
package import MobiusEngine
import MobiusRuntime
package import MobiusWire
package import ZeroMQ

/// The socket for clients: reads their requests, remembers who waits, sends the answers; what they ask it leaves to others.
///
/// It belongs to the edge, whoever's turn it is there, and never waits. An answer that cannot leave at once is dropped: its client
/// asks again, and every request may be repeated. So nobody who does not read can hold the coordinator up.
package final class ClientPort {
    /// How much a port takes at a time.
    package struct Limits: Sendable {
        /// Requests that wait for their answers, of all clients.
        package var waiting = 4096
        /// Those of one client.
        package var waitingPerPeer = 1024
        /// Those for a list, which may take long to find and are long when they are answered.
        package var lists = 64
        /// Those of one client.
        package var listsPerPeer = 2
        /// Bytes of payload in them.
        package var waitingBytes = 64 << 20
        /// Frames taken in by one call of ``ClientPort/receive(_:)``.
        package var round = 64
        /// The largest payload in bytes.
        package var maximumPayload = PayloadLimit.standard
        /// After how long a client is to ask again, in milliseconds.
        package var retryAfter: UInt32 = 100
        /// Peers whose strange frames were answered, so that each hears it once.
        package var strangers = 1024

        /// Bytes of frames after which a round is over, too: others wait while they are read.
        package var roundBytes = 8 << 20
        /// Bytes of large answers that may wait to be written out to one client, beyond one answer.
        package var unwrittenBytes = 64 << 20
        /// Bytes that libzmq may have read ahead of one client, beyond its two largest frames.
        package var bytesAhead = 64 << 20

        /// The limits of a coordinator.
        package init() {}

        /// The longest frame: a payload somewhat above the limit gets a sentence, a longer frame ends its connection.
        package var maximumFrame: Int {
            Int(maximumPayload) + min(Int(maximumPayload), 1 << 20) + (64 << 10)
        }

        /// How many frames libzmq may read ahead of one client, whatever their size: it counts frames and not bytes.
        package var framesAhead: Int { max(2, min(128, bytesAhead / maximumFrame)) }
    }

    private let socket: Socket
    private let monitor: SocketMonitor
    private let gate: Gate
    private let epoch: UInt64
    private let limits: Limits
    private let logger: Logger
    private var ledger: ClientLedger
    private var isStopping = false
    /// Large answers that wait to be written out.
    private var loads: [PeerID: OutgoingLoad] = [:]
    /// Up to here answers are not counted, in bytes.
    private static let smallAnswer = 4096
    /// The W3C trace context of the request that ``receive(_:)`` hands over, or empty.
    package private(set) var traceparent = ""
    /// Peers that were told about their strange frames, oldest first.
    private var strangers: [PeerID] = []
    private var throttle = LogThrottle()

    // Memory used again and again.
    private var frame: [UInt8] = []
    private var message = Message()
    private var sender = PeerID()

    /// Binds the socket.
    ///
    /// - Parameter admission: Who may ask what; `nil` for a socket without keys.
    /// - Throws: `ZeroMQError` when the endpoint cannot be bound.
    package init(
        bind endpoint: String, epoch: UInt64, limits: Limits = Limits(), admission: Admission? = nil,
        connections: ConnectionLedger.Limits = ConnectionLedger.Limits(), logger: Logger, context: Context,
        turn: SocketTurn? = nil
    ) throws(ZeroMQError) {
        self.epoch = epoch
        self.limits = limits
        self.logger = logger
        ledger = ClientLedger(limits)
        gate = Gate(admission, connections)
        socket = try context.socket(.router, turn: turn)
        monitor = try socket.monitor()
        try socket.set(.routerMandatory, to: true)  // else answers to clients that are gone seem to be sent
        try socket.set(.backlog, to: 1024)
        try socket.set(.maxMessageSize, to: limits.maximumFrame)
        try socket.set(.receiveHighWaterMark, to: limits.framesAhead)
        // One burst of all answers fits. Much below, prompt readers lose some: libzmq learns only every millisecond, or
        // every 100 messages received, of what was read (at 8, the thirteenth quick answer in a row was refused).
        try socket.set(.sendHighWaterMark, to: max(1000, 2 * limits.waitingPerPeer))
        // No heartbeats from this side: libzmq 4.3.4 aborts the process (`!_io_error`) when it pings a connection that broke
        // while it was not read, which the limit above may bring about. Clients ping, and their time to live ends a silence.
        try socket.set(.linger, to: .milliseconds(500))
        try socket.set(.handshakeInterval, to: Gate.handshakeTime)
        try admission?.lock(socket, .clients)
        try socket.bind(endpoint)
    }

    /// Where clients reach it, with the port that the system chose.
    package var endpoint: String {
        get throws(ZeroMQError) { try socket.lastEndpoint }
    }

    /// Lets a poller wait for requests, too; the port must outlive it.
    ///
    /// - Returns: the items of which one is readable when there is something to receive.
    package func add(to poller: inout Poller) -> [Poller.Item] {
        [poller.add(socket), poller.add(monitor)]
    }

    /// Whether a request waits.
    var isReadable: Bool {
        get throws(ZeroMQError) { try socket.isReadable }
    }

    /// Whether there is something for ``receive(_:)`` to do although nothing came.
    func isDue(at now: Moment) -> Bool { gate.isDue(at: now) }

    /// When ``receive(_:)`` must be called at the latest, whatever happens.
    package var nextDeadline: Moment? { gate.nextDeadline }

    /// Hears of connections that came and went, and ends those that may not be there any longer.
    private func watchConnections() throws(ZeroMQError) {
        let now = Moment.current
        while let event = try monitor.next() {
            _ = gate.take(event, at: now)
            log(event)
        }
        gate.endOverdue(at: now)
        _ = gate.takeRevoked(at: now) { [gate] key, _ in gate.admission?.admits(key, to: .clients) ?? true }
    }

    private func log(_ event: MonitorEvent) {
        guard event.isFailure, let unlogged = throttle.admit(at: .now) else { return }
        logger.notice("client's connection failed", metadata: ["event": "\(event)", "unlogged": "\(unlogged)"])
    }

    /// How many requests wait for their answers.
    package var waiting: Int { ledger.count }

    /// Takes in the requests that are there, up to a round of them.
    ///
    /// Each that is handed over must be answered once, during the call or later. Those that make no sense, or come while
    /// too many wait, are answered here.
    ///
    /// - Returns: whether more may be there.
    package func receive(_ take: (RequestID, ClientRequest) throws -> Void) throws -> Bool {
        try watchConnections()
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
                    if try sentBackWorker() { continue }
                    try refuse(number, error)
                    continue
                }
                if try isForbidden(asked) { continue }
                guard let id = try admit(asked) else { continue }
                traceparent = asked.traceparent
                try take(id, asked.request)
            }
        }
        return true
    }

    /// Answers a request; one that waits no more is passed over.
    package func answer(_ id: RequestID, _ answer: ClientAnswer) throws(ZeroMQError) {
        guard let (peer, number) = ledger.settle(id) else { return }
        try send(answer, to: peer, number)
    }

    /// From now on tells every request to come again later: the coordinator's next run will answer it.
    package func stop() {
        isStopping = true
    }

    /// Refuses what the client's key does not allow; the first request of a connection says whose it is.
    private func isForbidden(_ asked: NumberedRequest) throws(ZeroMQError) -> Bool {
        let key = gate.admission == nil ? nil : message.property("User-Id")
        var reason = gate.admission?.refusal(ofClientWith: key, for: asked.request)
        if !gate.hear(message) {
            try watchConnections()  // what is told of the connection came before its first word
            if !gate.introduce(message, key: key, nil, at: .current) {
                reason = "There are too many connections with this key; close some."
                gate.dismiss(message, at: .current)
            }
        }
        guard let reason else { return false }
        try send(.refused(ClientRefusal(.forbidden, reason)), to: sender, asked.number)
        return true
    }

    private func admit(_ asked: NumberedRequest) throws(ZeroMQError) -> RequestID? {
        guard !isStopping else {
            try send(.busy(retryAfter: 1000), to: sender, asked.number)
            return nil
        }
        let bytes = asked.request.payloadBytes
        guard bytes <= Int(limits.maximumPayload) else {
            try refuse(asked.number, ofBytes: bytes)
            return nil
        }
        switch ledger.admit(asked.number, from: sender, bytes: bytes, isList: asked.request.isList) {
        case .taken(let id): return id
        case .known: return nil
        case .full:
            try send(.busy(retryAfter: limits.retryAfter), to: sender, asked.number)
            return nil
        }
    }

    private func send(_ answer: ClientAnswer, to peer: PeerID, _ number: UInt64) throws(ZeroMQError) {
        frame.removeAll(keepingCapacity: true)
        NumberedAnswer(epoch: epoch, number: number, answer: answer).encode(into: &frame)
        guard frame.count > Self.smallAnswer else { return try send(to: peer) }
        let load = load(of: peer)
        guard load.bytes == 0 || load.bytes + frame.count <= limits.unwrittenBytes else {
            return try send(.busy(retryAfter: 1000), to: peer, number)  // it does not read
        }
        try send(to: peer, counting: load)
    }

    /// What waits to be written out to a client, which is counted for large answers only: of the others the socket keeps few.
    private func load(of peer: PeerID) -> OutgoingLoad {
        if let load = loads[peer] { return load }
        if loads.count >= 256 { loads = loads.filter { $0.value.bytes > 0 } }
        let load = OutgoingLoad()
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

// MARK: - What makes no sense

extension ClientPort {
    /// Refuses what is no request: by its number where that can be read, else once per peer.
    private func refuse(_ number: UInt64?, _ error: WireError) throws(ZeroMQError) {
        let isNew = !strangers.contains(sender)
        if isNew {
            if strangers.count == limits.strangers { strangers.removeFirst() }
            strangers.append(sender)
            if let unlogged = throttle.admit(at: .now) {
                logger.notice(
                    "client not understood",
                    metadata: ["peer": "\(sender)", "reason": "\(error)", "unlogged": "\(unlogged)"])
            }
        }
        guard isNew || number != nil else { return }
        let code: ClientRefusal.Code = error.code == .unknownCommand ? .unsupported : .malformed
        try send(.refused(ClientRefusal(code, "Not a request of this version: \(error).")), to: sender, number ?? 0)
    }

    /// Refuses a frame that is longer than any request of a payload within the limit, before it is read and copied.
    private func isTooLong() throws(ZeroMQError) -> Bool {
        guard message.count > Int(limits.maximumPayload) + (64 << 10),
            let number = message.withBytes({ NumberedRequest.number(of: $0) })
        else { return false }
        try refuse(number, ofBytes: message.count)
        return true
    }

    private func refuse(_ number: UInt64, ofBytes bytes: Int) throws(ZeroMQError) {
        let most = "this coordinator takes at most \(limits.maximumPayload)"
        let reason = "The event has \(bytes) bytes, but \(most): \(PayloadLimit.advice)."
        try send(.refused(ClientRefusal(.tooLarge, reason)), to: sender, number)
    }

    /// Tells a worker that came to the wrong socket, in its own words; it then ends with the sentence.
    private func sentBackWorker() throws(ZeroMQError) -> Bool {
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

extension ClientRequest {
    /// Whether it asks for a page of a list.
    fileprivate var isList: Bool {
        switch self {
        case .effects, .letters, .quarantine: true
        case .send, .status, .letter, .retry, .drop, .quarantined, .release: false
        }
    }
}
