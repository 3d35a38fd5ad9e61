import MobiusDriver
import MobiusEngine
import MobiusRuntime
import MobiusTransport
import MobiusWire

/// A coordinator's sockets: passes received messages to the driver, and calls the driver at its deadlines.
///
/// Only the socket thread uses it. Each round receives what waits, flushes the machine once, and waits again.
final class CoordinatorEdge {
    /// The most records received from workers in one round.
    ///
    /// Small batches let both sides work at the same time, instead of waiting for each other's large batch.
    private let roundLimit = 64

    let driver: CoordinatorDriver
    private let host: any LoopHost
    private let wakeUp: WakeUp
    private let eventKinds: [PayloadKind]
    private let log: CoordinatorLog
    let observer: EdgeObserver
    private let transport: SocketTransport
    private let monitor: SocketMonitor
    /// Authenticates connections for as long as this reference exists; `nil` without keys.
    private let authenticator: ZAPAuthenticator?
    let gate: ConnectionLimiter
    private var throttle = LogThrottle()
    private let clients: ClientPort?
    private let permit: (() throws -> Void)?

    // Reused memory.
    private(set) var message = Message()
    private var sender = PeerID()

    /// Binds the sockets: one for workers, and one for clients unless `clients` is `nil`.
    ///
    /// - Parameters:
    ///   - clientHost: Serves the requests of clients.
    ///   - shared: See ``CoordinatorDriver``.
    ///   - permit: See ``CoordinatorDriver``.
    ///   - shardSlices: See ``CoordinatorDriver``.
    ///   - demand: See ``CoordinatorDriver``.
    ///   - outranked: See ``CoordinatorDriver``.
    /// - Throws: ``CoordinatorError``, also when keys are missing for an endpoint that other hosts can reach.
    init(
        bind: String, clients: String? = nil, clientHost: (any ClientHost)? = nil,
        security: EdgeSecurity, _ shared: SharedMachine, host: any LoopHost, wakeUp: WakeUp,
        log: CoordinatorLog,
        telemetry: EdgeTelemetry? = nil, permit: (() throws -> Void)? = nil, shardSlices: ShardSlices? = nil,
        demand: (([LimitDemand]) -> Void)? = nil, outranked: ((UInt64) -> Void)? = nil, context: Context
    ) throws {
        let configuration = shared.machine.configuration
        self.host = host
        self.permit = permit
        self.wakeUp = wakeUp
        eventKinds = host.eventKinds
        self.log = log
        observer = EdgeObserver(log: log, telemetry: telemetry)
        let admission = try security.admission(binding: [bind] + (clients.map { [$0] } ?? []))
        authenticator = try security.authenticator(admission, in: context, logger: log.logger) { wakeUp.signal() }
        gate = ConnectionLimiter(admission, security.limits(.workers))
        let socket = try context.workerSocket(payloads: configuration.maximumPayload, admission)
        monitor = try socket.monitor()
        try socket.listen(at: bind)
        self.clients = try clients.map { endpoint in
            try ClientPort(
                at: endpoint, epoch: configuration.epoch, payloads: configuration.maximumPayload, admission, security,
                logger: log.logger, context: context)
        }
        transport = SocketTransport(socket, clients: self.clients)
        driver = CoordinatorDriver(
            shared, host: host, clientHost: clientHost, transport: transport, observer: observer,
            permit: permit, shardSlices: shardSlices, demand: demand, outranked: outranked)
    }

    /// The endpoint for workers, with the actual port.
    var endpoint: String {
        get throws { try transport.socket.lastEndpoint }
    }

    /// The endpoint for clients; `nil` without a client socket.
    var clientEndpoint: String? {
        get throws { try clients?.endpoint }
    }

    /// Runs until the host has ended.
    ///
    /// - Throws: any error of the sockets, the host or the journal; the edge cannot be used afterwards.
    func run() throws {
        var poller = Poller()
        let messages = poller.add(transport.socket)
        let events = poller.add(monitor)
        let wakeUp = poller.add(self.wakeUp)
        let requests = clients?.add(to: &poller)
        try round(.all)
        while !host.hasEnded {
            let deadline = Moment.earliest(
                driver.nextDeadline, gate.nextDeadline, clients?.nextDeadline, observer.nextSuppressed)
            try poller.wait(timeout: deadline.map { max(.zero, $0 - Moment.current) })
            if poller.isReadable(wakeUp) { self.wakeUp.drain() }
            try round(
                Ready(
                    messages: poller.isReadable(messages), expectsOne: poller.hasSlept,
                    events: poller.isReadable(events),
                    requests: requests.map { $0.contains { poller.isReadable($0) } } ?? false))
        }
    }

    /// The sources with something to receive.
    ///
    /// Reading an empty socket costs system calls, which would delay the messages that a commit permits.
    private struct Ready {
        static let all = Ready(messages: true, expectsOne: false, events: true, requests: true)

        let messages: Bool
        /// Whether only one message is expected, because the poller slept until it arrived.
        let expectsOne: Bool
        let events: Bool
        let requests: Bool
    }

    private func round(_ ready: Ready) throws {
        var (more, ready) = (true, ready)
        while more, !host.hasEnded {
            if let permit { try permit() }
            driver.now = .current
            observer.telemetry?.roundBegan(at: driver.now) { view }
            try tellCalendar()
            more = try driver.takeInputs()
            if try ready.messages && receive(expectsOne: ready.expectsOne) { more = true }
            if try (ready.requests || clients?.isDue(at: driver.now) == true) && receiveFromClients() { more = true }
            try driver.survey { .current }
            if ready.events || gate.isDue(at: driver.now) {
                try watchConnections()
                try watchKeys()
            }
            ready = .all
            if driver.isDue(whileMessagesWait: more) { try driver.tell(.tick) }
            try driver.flush()
        }
    }

    private var view: FleetView {
        let loops = driver.machine.loopCounts
        return FleetView(
            pools: driver.machine.poolStatuses(at: driver.now), loops: loops.all, held: loops.held,
            kept: driver.machine.keptLoops, letters: host.letters.total,
            kinds: zip(driver.machine.loopsByKind, host.letters.counts(of: driver.machine.configuration.kinds)).map {
                FleetView.Kind(loops: $0, letters: $1)
            })
    }

    /// Passes the wall-clock time to the machine at the start and once a second, because wall clocks drift and are set.
    private func tellCalendar() throws {
        guard driver.calendarIsDue <= driver.now else { return }
        observer.logSuppressed()
        var calendar = WallTime.current
        // Both clocks must be read at one moment: if the process is suspended in between, the wall clock seems to jump.
        for _ in 1...10 {
            driver.now = .current
            calendar = .current
            if Moment.current - driver.now < .milliseconds(2) { break }
        }
        try driver.tell(calendar: calendar)
    }
}

// MARK: - Receiving

extension CoordinatorEdge {
    /// - Returns: whether more may be waiting than one round receives.
    private func receive(expectsOne: Bool) throws -> Bool {
        let limit = expectsOne ? 1 : roundLimit
        var records = 0
        while records < limit {
            records += 1
            switch try transport.socket.receive(from: &sender, into: &message) {
            case .nothing: return false
            case .malformed(let frames):
                guard let peer = Peer(sender) else { continue }
                try driver.tell(.malformed(WireError(.trailingBytes, "\(frames) frames instead of one"), from: peer))
            case .message:
                guard let peer = Peer(sender) else {
                    log.strangeRoutingID(sender)
                    continue
                }
                let envelope: Envelope<WorkerMessage>
                do throws(WireError) {
                    envelope = try message.withBytes { (bytes) throws(WireError) in
                        try Envelope<WorkerMessage>(decoding: bytes, known: eventKinds)
                    }
                } catch {
                    try driver.tell(.malformed(error, from: peer))
                    continue
                }
                if case .hello(let hello) = envelope.message {
                    try greet(hello, in: envelope, from: peer)
                    continue
                }
                records += envelope.message.recordCount
                try driver.tell(.received(consume envelope, from: peer))
            }
        }
        return !expectsOne
    }

    /// - Returns: whether more may be waiting than one round receives.
    private func receiveFromClients() throws -> Bool {
        guard let clients else { return false }
        let more = try clients.receive {
            if $1 == .rights, let rights = clients.callerRights { return try clients.answer($0, .rights(rights)) }
            try driver.receive(
                $1, as: $0, traceparent: clients.traceparent, shards: clients.knownShards,
                isMasked: clients.masksAnswer, sender: clients.senderName)
        } unwatch: {
            driver.unwatch($0, $1)
        }
        try driver.answerClients()
        return more
    }

    /// Processes the monitor's events; when a worker's connection ends, the machine checks all workers at once.
    func watchConnections() throws {
        var isDisconnected = false
        while let event = try monitor.next() {
            if gate.handle(event, at: driver.now) { isDisconnected = true }
            guard event.isFailure, let unlogged = throttle.admit(at: driver.now) else { continue }
            log.connectionFailed(event, unlogged: unlogged)
        }
        gate.endOverdue(at: driver.now)
        if isDisconnected { try driver.tell(.connectionEnded) }
    }
}
