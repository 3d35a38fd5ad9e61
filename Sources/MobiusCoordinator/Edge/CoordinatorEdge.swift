import MobiusDriver
import MobiusEngine
import MobiusRuntime
import MobiusTransport
import MobiusWire
import ZeroMQ

/// A coordinator's sockets: hands what comes in to the driver, and wakes up when the driver's time has come.
///
/// It is made on the socket thread. Each round it takes in everything that waits, lets the machine decide once, and waits
/// again. While it sleeps, the journal thread may perform what a commit sets free: see ``stepIn()``.
final class CoordinatorEdge {
    /// After how many records from workers what they led to is sent: so both sides work at the same time, instead of each
    /// waiting for the other's large batch.
    private let roundLimit = 64

    let driver: CoordinatorDriver
    private let host: any LoopHost
    private let wakeUp: WakeUp
    private let eventKinds: [PayloadKind]
    private let log: CoordinatorLog
    let observer: EdgeObserver
    private let transport: SocketTransport
    private let turn: SocketTurn
    private let monitor: SocketMonitor
    /// Answers for keys while this lives.
    private let doorkeeper: Doorkeeper?
    let gate: Gate
    private var throttle = LogThrottle()
    private let clients: ClientPort?

    /// Until when the socket thread sleeps at most; `nil` for ever.
    private var sleepsUntil: Moment?
    /// Why the socket thread cannot go on, if another one found that out.
    private var failure: (any Error)?

    // Memory used again and again.
    private(set) var message = Message()
    private var sender = PeerID()

    /// Binds the sockets: one for workers, and one for clients, if they may come.
    ///
    /// - Throws: ``CoordinatorError``, also when keys are missing for an endpoint that other hosts can reach.
    init(
        bind: String, clients: (endpoint: String, host: any ClientHost)? = nil, security: EdgeSecurity,
        _ configuration: CoordinatorConfiguration, host: any LoopHost, wakeUp: WakeUp, log: CoordinatorLog,
        telemetry: EdgeTelemetry? = nil, context: Context
    ) throws {
        self.host = host
        self.wakeUp = wakeUp
        eventKinds = host.eventKinds
        self.log = log
        observer = EdgeObserver(log: log, telemetry: telemetry)
        let admission = try security.admission(binding: [bind] + (clients.map { [$0.endpoint] } ?? []))
        doorkeeper = try security.doorkeeper(admission, in: context, logger: log.logger) { wakeUp.signal() }
        gate = Gate(admission, security.limits(.workers))
        let turn = SocketTurn()
        self.turn = turn
        let socket = try context.socket(.router, turn: turn)
        try socket.prepare(asCoordinatorWithPayloads: configuration.maximumPayload)
        try socket.set(.handshakeInterval, to: Gate.handshakeTime)
        try admission?.lock(socket, .workers)
        monitor = try socket.monitor()
        do {
            try socket.bind(bind)
        } catch {
            throw CoordinatorError(.endpoint, "Cannot listen on \(bind): \(error)", underlying: error)
        }
        let clientHost = clients?.host
        self.clients = try clients.map { endpoint, _ in
            var limits = ClientPort.Limits()
            limits.maximumPayload = configuration.maximumPayload
            limits.waitingBytes += Int(configuration.maximumPayload)  // the largest has room beside others
            do throws(ZeroMQError) {
                return try ClientPort(
                    bind: endpoint, epoch: configuration.epoch, limits: limits, admission: admission,
                    connections: security.limits(.clients), logger: log.logger, context: context, turn: turn)
            } catch {
                throw CoordinatorError(
                    .endpoint,
                    "Cannot listen for clients on \(endpoint): \(error). Choose another --client-bind, or none.",
                    underlying: error)
            }
        }
        transport = SocketTransport(socket, clients: self.clients)
        driver = CoordinatorDriver(
            configuration, host: host, clientHost: clientHost, transport: transport, observer: observer, now: .current)
    }

    /// Where workers reach it, with the port that the system chose.
    var endpoint: String {
        get throws { try transport.socket.lastEndpoint }
    }

    /// Where clients reach it, if they may come.
    var clientEndpoint: String? {
        get throws { try clients?.endpoint }
    }

    /// Runs until its host has ended or it cannot go on.
    func run() throws {
        var poller = Poller()
        let messages = poller.add(transport.socket)
        let events = poller.add(monitor)
        let wakeUp = poller.add(self.wakeUp)
        let requests = clients?.add(to: &poller)
        try round(.all)
        while !host.hasEnded {
            sleepsUntil = Moment.earliest(driver.nextDeadline, gate.nextDeadline, clients?.nextDeadline)
            if let rest = observer.nextRest {
                sleepsUntil = Moment.earliest(sleepsUntil, Moment.current + (rest - .now))
            }
            try poller.wait(timeout: sleepsUntil.map { max(.zero, $0 - Moment.current) })
            if let failure { throw failure }
            host.moveHere()
            if poller.isReadable(wakeUp) { self.wakeUp.drain() }
            try round(
                Ready(
                    messages: poller.isReadable(messages), isLone: poller.hasSlept, events: poller.isReadable(events),
                    requests: requests.map { $0.contains { poller.isReadable($0) } } ?? false))
        }
    }

    /// Does what the host's news set free, on the calling thread, if the socket thread sleeps.
    ///
    /// That thread is woken only when there is more to do than that. On idle processors the wake-up would take some 20 µs,
    /// which is much beside a commit.
    ///
    /// - Returns: whether the news were taken; otherwise the socket thread is to be woken.
    func stepIn() -> Bool {
        guard turn.tryTake() else { return false }
        defer { turn.give() }
        do {
            if failure == nil, !host.hasEnded {
                host.moveHere()
                driver.now = .current
                try driver.takeInputs()
                try driver.flush()
            }
            if try host.hasEnded || isNeeded { wakeUp.signal() }
        } catch {
            failure = error
            wakeUp.signal()
        }
        return true
    }

    /// Whether the socket thread, which sleeps, has to do something now, or before it would wake up.
    private var isNeeded: Bool {
        get throws {
            if let next = driver.machine.nextDeadline, sleepsUntil.map({ next < $0 }) ?? true { return true }
            return try transport.socket.isReadable || clients?.isReadable == true
        }
    }

    /// Where something waits to be taken in: a look at a socket that has nothing costs system calls, before what was
    /// committed may leave.
    private struct Ready {
        static let all = Ready(messages: true, isLone: false, events: true, requests: true)

        let messages: Bool
        /// Whether one message is all that can be expected.
        let isLone: Bool
        let events: Bool
        let requests: Bool
    }

    private func round(_ ready: Ready) throws {
        var (more, ready) = (true, ready)
        while more, !host.hasEnded {
            driver.now = .current
            observer.telemetry?.goesRound(at: driver.now) { view }
            try tellCalendar()
            try driver.takeInputs()
            more = try ready.messages && receive(isLone: ready.isLone)
            if try (ready.requests || clients?.isDue(at: driver.now) == true) && receiveFromClients() { more = true }
            try driver.survey { .current }
            if ready.events || gate.isDue(at: driver.now) {
                try watchConnections()
                try watchKeys()
            }
            ready = .all
            // What waits is read before anything is judged that it may answer; within bounds, or a flood could stop the time.
            if let deadline = driver.machine.nextDeadline, deadline <= driver.now,
                !more || deadline + .milliseconds(500) <= driver.now
            {
                try driver.tell(.tick)
            }
            try driver.flush()
        }
    }

    private var view: FleetView {
        let loops = driver.machine.loopCounts
        return FleetView(
            pools: driver.machine.poolStatuses(at: driver.now), loops: loops.all, held: loops.held,
            letters: host.letterCount)
    }

    /// Calendars are set and drift: the machine is told the time once a second, and first of all.
    private func tellCalendar() throws {
        guard driver.calendarIsDue <= driver.now else { return }
        observer.logRest()
        var calendar = WallTime.current
        // Both clocks at one moment: who is stopped between the two sees a jump that never was.
        for _ in 1...10 {
            driver.now = .current
            calendar = .current
            if Moment.current - driver.now < .milliseconds(2) { break }
        }
        try driver.tell(calendar: calendar)
    }
}

// MARK: - What comes in

extension CoordinatorEdge {
    /// Whether more may be waiting than one round takes.
    private func receive(isLone: Bool) throws -> Bool {
        let limit = isLone ? 1 : roundLimit
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
        return !isLone
    }

    /// Whether more may be waiting than one round takes.
    private func receiveFromClients() throws -> Bool {
        guard let clients else { return false }
        let more = try clients.receive { try driver.take($1, as: $0, traceparent: clients.traceparent) }
        try driver.answerClients()
        return more
    }

    /// A worker's connection that ends is worth a look at all of them: a killed worker is noticed at once.
    func watchConnections() throws {
        var isDisconnected = false
        while let event = try monitor.next() {
            if gate.take(event, at: driver.now) { isDisconnected = true }
            guard event.isFailure, let unlogged = throttle.admit(at: .now) else { continue }
            log.connectionFailed(event, unlogged: unlogged)
        }
        gate.endOverdue(at: driver.now)
        if isDisconnected { try driver.tell(.connectionEnded) }
    }
}
