import MobiusEngine
import MobiusRuntime
import MobiusTransport
import MobiusWire
import ZeroMQ

/// The one place where a coordinator's decisions become messages; what concerns its loops goes to their host.
///
/// It is made on the socket thread. Each round, that takes in everything that waits, lets the machine decide once, and waits
/// again; while it sleeps, another thread that has news for the host may have its turn: see ``stepIn()``.
final class CoordinatorEdge {
    /// After how many records from workers what they led to is sent: so both sides work at the same time, instead of each
    /// waiting for the other's large batch.
    private let roundLimit = 64

    let host: any LoopHost
    private let eventKinds: [PayloadKind]
    private let log: CoordinatorLog
    private let telemetry: EdgeTelemetry?
    private let turn: SocketTurn
    private let socket: Socket
    private let monitor: SocketMonitor
    /// Answers for keys while this lives.
    private let doorkeeper: Doorkeeper?
    let gate: Gate
    /// Which key each worker came with, so that nobody takes another's name.
    var owners: [Incarnation: String] = [:]
    private var throttle = LogThrottle()
    private var notes = NoteThrottles()
    let clients: ClientPort?
    let clientHost: (any ClientHost)?
    // Unchecked: a machine only answers, so nobody gets here while it is changed; it is asked twice for each event.
    @exclusivity(unchecked) private(set) var machine: CoordinatorMachine
    @exclusivity(unchecked) private(set) var now = Moment.current
    /// When the calendar is looked at again.
    private var looksAtCalendar = Moment.current
    private var synchronousCommits: [Ticket] = []
    /// What clients want to see of all effects.
    var surveys = SurveyDesk()
    /// Answers that wait until what they show is on disk.
    var shown: [RequestID: ClientAnswer] = [:]
    /// The W3C trace contexts of clients' events that wait for their commit.
    var traceparents: [RequestID: String] = [:]

    /// Until when the socket thread sleeps at most; `nil` for ever.
    private var sleepsUntil: Moment?
    /// Why the socket thread cannot go on, if another one found that out.
    private var failure: (any Error)?

    // Memory used again and again.
    /// What the machine has decided, of which some is done.
    @exclusivity(unchecked) private var decided: [CoordinatorAction] = []
    private var frame: [UInt8] = []
    private(set) var message = Message()
    private var sender = PeerID()

    /// Binds the sockets: one for workers, and one for clients, if they may come.
    ///
    /// - Throws: ``CoordinatorError``, also when keys are missing for an endpoint that other hosts can reach.
    init(
        bind: String, clients: (endpoint: String, host: any ClientHost)? = nil, security: EdgeSecurity,
        _ configuration: CoordinatorConfiguration, host: any LoopHost, log: CoordinatorLog,
        telemetry: EdgeTelemetry? = nil, context: Context
    ) throws {
        self.host = host
        eventKinds = host.eventKinds
        self.log = log
        self.telemetry = telemetry
        machine = CoordinatorMachine(configuration)
        let admission = try security.admission(binding: [bind] + (clients.map { [$0.endpoint] } ?? []))
        let wakeUp = host.wakeUp
        doorkeeper = try security.doorkeeper(admission, in: context, logger: log.logger) { wakeUp.signal() }
        gate = Gate(admission, security.limits(.workers))
        let turn = SocketTurn()
        self.turn = turn
        socket = try context.socket(.router, turn: turn)
        try socket.prepare(asCoordinatorWithPayloads: configuration.maximumPayload)
        try socket.set(.handshakeInterval, to: Gate.handshakeTime)
        try admission?.lock(socket, .workers)
        monitor = try socket.monitor()
        do {
            try socket.bind(bind)
        } catch {
            throw CoordinatorError(.endpoint, "Cannot listen on \(bind): \(error)", underlying: error)
        }
        clientHost = clients?.host
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
    }

    /// Where workers reach it, with the port that the system chose.
    var endpoint: String {
        get throws { try socket.lastEndpoint }
    }

    /// Where clients reach it, if they may come.
    var clientEndpoint: String? {
        get throws { try clients?.endpoint }
    }

    /// Hands something to the machine, and does what it decides.
    func tell(_ input: consuming CoordinatorInput) throws {
        let before = decided.count
        machine.handle(input, at: now, into: &decided)
        if decided.count > before { try performDecided(from: before) }
    }

    // Apart: as a rule nothing follows from an event that was applied, before its commit.
    @inline(never)
    private func performDecided(from before: Int) throws {
        for position in before..<decided.count {
            // Moved out: a copy of an action counts many references.
            var action = CoordinatorAction.stopped
            swap(&action, &decided[position])
            try perform(consume action)
        }
        if before == 0, decided.count > 4096 {
            decided = []
        } else {
            decided.removeLast(decided.count - before)
        }
    }

    /// Runs until its host has ended or it cannot go on.
    func run() throws {
        var poller = Poller()
        let messages = poller.add(socket)
        let events = poller.add(monitor)
        let wakeUp = poller.add(host.wakeUp)
        let requests = clients?.add(to: &poller)
        try round(.all)
        while !host.hasEnded {
            sleepsUntil = Moment.earliest(
                Moment.earliest(machine.nextDeadline, surveys.nextSlice), gate.nextDeadline, clients?.nextDeadline)
            if let rest = notes.nextRest {
                sleepsUntil = Moment.earliest(sleepsUntil, Moment.current + (rest - .now))
            }
            try poller.wait(timeout: sleepsUntil.map { max(.zero, $0 - Moment.current) })
            if let failure { throw failure }
            host.moveHere()
            if poller.isReadable(wakeUp) { host.wakeUp.drain() }
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
                now = .current
                try host.takeInputs(tell)
                try answerClients()
                try flush()
            }
            if try host.hasEnded || isNeeded { host.wakeUp.signal() }
        } catch {
            failure = error
            host.wakeUp.signal()
        }
        return true
    }

    /// Whether the socket thread, which sleeps, has to do something now, or before it would wake up.
    private var isNeeded: Bool {
        get throws {
            if let next = machine.nextDeadline, sleepsUntil.map({ next < $0 }) ?? true { return true }
            return try socket.isReadable || clients?.isReadable == true
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
            now = .current
            telemetry?.goesRound(at: now) {
                let loops = machine.loopCounts
                return FleetView(
                    pools: machine.poolStatuses(at: now), loops: loops.all, held: loops.held, letters: host.letterCount)
            }
            try tellCalendar()
            try host.takeInputs(tell)
            more = try ready.messages && receive(isLone: ready.isLone)
            try answerClients()
            if try (ready.requests || clients?.isDue(at: now) == true) && receiveFromClients() { more = true }
            try survey()
            if ready.events || gate.isDue(at: now) {
                try watchConnections()
                try watchKeys()
            }
            ready = .all
            // What waits is read before anything is judged that it may answer; within bounds, or a flood could stop the time.
            if let deadline = machine.nextDeadline, deadline <= now, !more || deadline + .milliseconds(500) <= now {
                try tell(.tick)
            }
            try flush()
        }
    }

    /// Calendars are set and drift: the machine hears of it once a second, and first of all.
    private func tellCalendar() throws {
        guard looksAtCalendar <= now else { return }
        looksAtCalendar = now + .seconds(1)
        for (kind, unlogged) in notes.rest(at: .now) { log.rest(kind, unlogged: unlogged) }
        var calendar = WallTime.current
        // Both clocks at one moment: whoever is stopped between the two sees a jump that never was.
        for _ in 1...10 {
            now = .current
            calendar = .current
            if Moment.current - now < .milliseconds(2) { break }
        }
        try tell(.wallClock(calendar))
    }

    /// Lets decisions leave; commits of a journal in memory come back at once and set more free.
    private func flush() throws {
        repeat {
            let committed = synchronousCommits
            synchronousCommits.removeAll(keepingCapacity: true)
            for ticket in committed { try tell(.committed(ticket)) }
            try tell(.flush)
        } while !synchronousCommits.isEmpty
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
            switch try socket.receive(from: &sender, into: &message) {
            case .nothing: return false
            case .malformed(let frames):
                guard let peer = Peer(sender) else { continue }
                try tell(.malformed(WireError(.trailingBytes, "\(frames) frames instead of one"), from: peer))
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
                    try tell(.malformed(error, from: peer))
                    continue
                }
                if case .hello(let hello) = envelope.message {
                    try greet(hello, in: envelope, from: peer)
                    continue
                }
                records += envelope.message.recordCount
                try tell(.received(consume envelope, from: peer))
            }
        }
        return !isLone
    }

    /// A worker's connection that ends is worth a look at all of them: a killed worker is noticed at once.
    func watchConnections() throws {
        var isDisconnected = false
        while let event = try monitor.next() {
            if gate.take(event, at: now) { isDisconnected = true }
            guard event.isFailure, let unlogged = throttle.admit(at: .now) else { continue }
            log.connectionFailed(event, unlogged: unlogged)
        }
        gate.endOverdue(at: now)
        if isDisconnected { try tell(.connectionEnded) }
    }
}

// MARK: - What goes out

extension CoordinatorEdge {
    private func perform(_ action: consuming CoordinatorAction) throws {
        switch consume action {
        case .apply(let application): try apply(consume application)
        case .applyFailure(let id, let effect, let failure, let round):
            log.failure(failure, of: id)
            try answer(try host.applyFailure(id, effect: effect, failure, round: round))
        case .applyTimer(let id, let effect, let due, let ends):
            try answer(try host.applyTimer(id, effect: effect, due: due, ends: ends))
        case .selectCancelled(let id, let effect):
            try tell(try host.selectCancelled(id, effect: effect, among: machine.underWay(of: id.loop)))
        case .lookUp(let request, let loop, let key, let event):
            host.lookUp(request, loop, key: key, event: event)
        case .append(let ticket, let records):
            telemetry?.metrics?.appended(records, at: now, machine)
            let isCommitted = try host.append(ticket, records) { machine.snapshotState(of: $0) }
            if isCommitted { synchronousCommits.append(ticket) }
        case .send(let peer, let envelope): try send(envelope, to: peer)
        case .runLocal(let id, let effect):
            host.runLocal(id, effect, traceparent: machine.traceparent(of: id.effect))
        case .acknowledged(let id, let events, let bytes): host.acknowledged(id, events: events, bytes: bytes)
        case .confirm(let request, let repeated): try confirm(request, repeated: repeated)
        case .refuse(let request, let refusal): try refuse(request, refusal)
        case .stopping(let request):
            try turnAway(request, .stopped, "The coordinator is stopping.", retryAfter: 1000)
        case .busy(let request):
            try turnAway(request, .busy, CoordinatorError.tooMuch, retryAfter: 100)
        case .note(let note): self.note(note)
        case .stopped: host.stop { machine.snapshotState(of: $0) }
        }
    }

    private func apply(_ application: consuming Application) throws {
        if !traceparents.isEmpty { trace(&application) }
        switch try host.apply(&application) {
        case .effects(let effects):
            let before = decided.count
            machine.applied(consume application, asking: consume effects, at: now, into: &decided)
            if decided.count > before { try performDecided(from: before) }
        case .unreadable(let reason): try tell(.unreadable(consume application, reason: reason))
        case .held: try hold(application)
        }
    }

    /// Gives the event the trace that its client named, if it came from one that did.
    private func trace(_ application: inout Application) {
        guard case .outside(let request) = application.origin,
            let traceparent = traceparents.removeValue(forKey: request)
        else { return }
        application.traceparent = traceparent
    }

    private func note(_ note: CoordinatorNote) {
        switch note {
        case .left(let incarnation, _), .lost(let incarnation, _): owners[incarnation] = nil
        default: break
        }
        log.note(note, unlogged: notes.admit(note, at: .now))
    }

    private func send(_ envelope: Envelope<CoordinatorMessage>, to peer: Peer) throws {
        frame.removeAll(keepingCapacity: true)
        envelope.encode(into: &frame)
        switch try socket.send(to: peer.routingID, frame) {
        case .sent, .wouldBlock:  // a full buffer loses it: the protocol repairs losses
            if let metrics = telemetry?.metrics, case .effects(_, let orders) = envelope.message {
                metrics.sent(orders, to: peer, machine)
            }
        case .unreachable: try tell(.unreachable(peer))
        }
        if case .effects = envelope.message { Failpoint.afterSend.pass() }
        if case .ack = envelope.message { Failpoint.afterAck.pass() }
    }
}
