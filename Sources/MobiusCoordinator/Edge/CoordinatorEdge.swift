import Logging
import MobiusCore
import MobiusEngine
import MobiusJournal
import MobiusRuntime
import MobiusWire
import ZeroMQ

/// The one place where a coordinator's decisions become sockets, journal writes and handler calls.
///
/// It is made and used on the socket thread only. Each round it takes in everything that waits, lets the machine decide
/// once, and waits again.
final class CoordinatorEdge<Program: LoopProgram> {
    /// What other threads tell the socket thread.
    enum Input: Sendable {
        case journal(JournalThread.Report)
        case local(HandlerOutcome)
        case outside(RequestID, LoopID, key: String, Payload)
        case stop
    }

    /// What the edge is made of.
    struct Parts {
        var start: PreparedLoop<Program>
        var settings: CoordinatorSettings
        var mailbox: Mailbox<Input>
        var requests: Requests
        var journal: JournalWriter
        var locals: EffectRunner<Program.Effect, Program.Event>
        var log: CoordinatorLog
    }

    /// After how many records from workers what they led to is sent: so both sides work at the same time, instead of each
    /// waiting for the other's large batch.
    private let roundLimit = 64

    private let parts: Parts
    private let loop: TypedLoop<Program>
    private let socket: Socket
    private let monitor: SocketMonitor
    private var machine: CoordinatorMachine
    private var snapshots: SnapshotPolicy
    private var now = Moment.current
    private var ended: Result<Void, any Error>?
    private var synchronousCommits: [Ticket] = []

    // Memory used again and again.
    private var inputs: [Input] = []
    private var frame: [UInt8] = []
    private var message = Message()
    private var sender = PeerID()

    /// Binds the socket and hands the loop to the machine.
    init(_ parts: Parts, context: Context) throws {
        self.parts = parts
        loop = parts.start.loop
        machine = CoordinatorMachine(parts.start.configuration(parts.settings))
        snapshots = SnapshotPolicy(lastBytes: parts.start.snapshotBytes)
        socket = try context.socket(.router)
        try socket.prepare(asCoordinatorWithPayloads: parts.settings.maximumPayload)
        monitor = try socket.monitor()
        do {
            try socket.bind(parts.settings.bind)
        } catch {
            throw CoordinatorError(.endpoint, "Cannot listen on \(parts.settings.bind): \(error)", underlying: error)
        }
        try perform(machine.handle(parts.start.input, at: now))
    }

    /// Where workers reach it, with the port that the system chose.
    var endpoint: String {
        get throws { try socket.lastEndpoint }
    }

    /// Runs until the coordinator has stopped or cannot go on.
    func run() throws {
        var poller = Poller()
        _ = poller.add(socket)
        _ = poller.add(monitor)
        let wakeUp = poller.add(parts.mailbox.wakeUp)
        try round()
        while ended == nil {
            let timeout = machine.nextDeadline.map { max(.zero, $0 - Moment.current) }
            try poller.wait(timeout: timeout)
            if poller.isReadable(wakeUp) { parts.mailbox.wakeUp.drain() }
            try round()
        }
        try ended?.get()
    }

    private func round() throws {
        var more = true
        while more, ended == nil {
            now = .current
            try takeInputs()
            more = try receive()
            try watchConnections()
            if let deadline = machine.nextDeadline, deadline <= now { try perform(machine.handle(.tick, at: now)) }
            try flush()
        }
    }

    /// Lets decisions leave; commits of a journal in memory come back at once and set more free.
    private func flush() throws {
        repeat {
            let committed = synchronousCommits
            synchronousCommits.removeAll(keepingCapacity: true)
            for ticket in committed { try perform(machine.handle(.committed(ticket), at: now)) }
            try perform(machine.handle(.flush, at: now))
        } while !synchronousCommits.isEmpty
    }
}

// MARK: - What comes in

extension CoordinatorEdge {
    private func takeInputs() throws {
        parts.mailbox.take(into: &inputs)
        for input in inputs {
            switch input {
            case .journal(let report): try heard(report)
            case .local(.report(let id, let event, let final)):
                if final { parts.locals.ended(id) }
                try perform(machine.handle(.localReport(id, event: event, final: final), at: now))
            case .local(.failed(let id, let reason)):
                // A local handler cannot fail but by a mistake in the program, which no retry mends.
                throw CoordinatorError(.program, "The local effect \(id) failed: \(reason)")
            case .outside(let request, let loop, let key, let event):
                try perform(machine.handle(.outside(request, loop, key: key, event: event), at: now))
            case .stop: try perform(machine.handle(.stop, at: now))
            }
        }
    }

    private func heard(_ report: JournalThread.Report) throws {
        switch report {
        case .committed(let tickets):
            for ticket in tickets { try perform(machine.handle(.committed(ticket), at: now)) }
        case .saved(let bytes): snapshots.saved(bytes: bytes)
        case .failed(let error): throw error
        case .closed: ended = .success(())
        }
    }

    /// Whether more may be waiting than one round takes.
    private func receive() throws -> Bool {
        var records = 0
        while records < roundLimit {
            records += 1
            switch try socket.receive(from: &sender, into: &message) {
            case .nothing: return false
            case .malformed(let frames):
                guard let peer = Peer(sender) else { continue }
                let error = WireError(.trailingBytes, "\(frames) frames instead of one")
                try perform(machine.handle(.malformed(error, from: peer), at: now))
            case .message:
                guard let peer = Peer(sender) else {
                    parts.log.strangeRoutingID(sender)
                    continue
                }
                let input: CoordinatorInput
                do throws(WireError) {
                    let envelope = try message.withBytes { (bytes) throws(WireError) in
                        try Envelope<WorkerMessage>(decoding: bytes)
                    }
                    if case .events(_, let reports) = envelope.message { records += reports.count }
                    input = .received(envelope, from: peer)
                } catch {
                    input = .malformed(error, from: peer)
                }
                try perform(machine.handle(input, at: now))
            }
        }
        return true
    }

    /// A connection that ends is worth a look at all of them: a killed worker is noticed at once.
    private func watchConnections() throws {
        var isDisconnected = false
        while let event = try monitor.next() {
            if event.kind == .disconnected { isDisconnected = true }
            parts.log.connection(event)
        }
        if isDisconnected { try perform(machine.handle(.connectionEnded, at: now)) }
    }
}

// MARK: - What goes out

extension CoordinatorEdge {
    private func perform(_ actions: [CoordinatorAction]) throws {
        for action in actions {
            switch action {
            case .apply(let application): try apply(application)
            case .applyFailure(let id, let effect, let failure): try apply(failure, of: id, effect: effect)
            case .append(let ticket, let records): try append(ticket, records)
            case .send(let peer, let envelope): try send(envelope, to: peer)
            case .runLocal(let id, let effect): parts.locals.run([(id, effect)])
            case .confirm(let request): parts.requests.answer(request, .success(()))
            case .refuse(let request, let reason):
                parts.requests.answer(request, .failure(CoordinatorError(.invalidEvent, reason)))
            case .note(let note): parts.log.note(note)
            case .stopped: stop()
            }
        }
    }

    private func apply(_ application: Application) throws {
        let change: Change<Program.Effect>
        do {
            change = try loop.apply(application.event)
        } catch {
            try perform(machine.handle(.unreadable(application, reason: "\(error)"), at: now))
            return
        }
        try perform(machine.handle(.applied(application, effects: try loop.plan(change.effects)), at: now))
    }

    private func apply(_ failure: EffectFailure, of id: EffectID, effect: Payload) throws {
        parts.log.failure(failure, of: id)
        guard let event = try loop.event(of: failure, effect: effect) else {
            try perform(machine.handle(.failureUnheard(id), at: now))
            return
        }
        try apply(Application(loop: id.loop, source: .failure(id), event: event, ends: id, origin: .failure))
    }

    private func append(_ ticket: Ticket, _ records: [JournalRecord]) throws {
        switch parts.journal {
        case .memory(let store):
            if !records.isEmpty { try store.commit(records) }
            synchronousCommits.append(ticket)
        case .disk(let thread):
            thread.append(ticket, records)
            for record in records { snapshots.appended(bytes: record.payloadBytes) }
            if snapshots.isDue { snapshot(to: thread) }
        }
    }

    /// The model holds exactly what was appended so far, so a snapshot queued now stands right behind it.
    private func snapshot(to thread: JournalThread) {
        snapshots.begin()
        guard let state = machine.snapshotState(of: loop.id) else { return }
        let (id, model) = (loop.id, loop.model)
        thread.save { () throws(JournalError) in
            try LoopSnapshot(loop: id, model: model, sequence: state.sequence, pending: state.pending).encoded()
        }
    }

    private func send(_ envelope: Envelope<CoordinatorMessage>, to peer: Peer) throws {
        frame.removeAll(keepingCapacity: true)
        envelope.encode(into: &frame)
        switch try socket.send(to: peer.routingID, frame) {
        case .sent, .wouldBlock: break  // a full buffer loses it: the protocol repairs losses
        case .unreachable: try perform(machine.handle(.unreachable(peer), at: now))
        }
    }

    private func stop() {
        parts.locals.cancelAll()
        switch parts.journal {
        case .memory(let store):
            store.close()
            ended = .success(())
        case .disk(let thread):
            if snapshots.hasNews { snapshot(to: thread) }
            thread.close()
        }
    }
}

extension Peer {
    /// libzmq's own routing ids have 5 bytes; whoever chose a longer one is no worker of ours.
    init?(_ id: PeerID) {
        guard (1...7).contains(id.count) else { return nil }
        self.init(id.withUnsafeBytes { bytes in bytes.reduce(UInt64(bytes.count)) { $0 << 8 | UInt64($1) } })
    }

    var routingID: PeerID {
        var bytes: [UInt8] = []
        var rest = token
        while rest > 7 {
            bytes.insert(UInt8(truncatingIfNeeded: rest), at: 0)
            rest >>= 8
        }
        guard let id = PeerID(bytes) else { preconditionFailure("A peer is made of a routing id.") }
        return id
    }
}
