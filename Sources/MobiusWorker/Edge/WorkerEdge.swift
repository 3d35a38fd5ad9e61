import Logging
import MobiusEngine
import MobiusKeys
import MobiusRuntime
import MobiusTelemetry
import MobiusWire
import ZeroMQ

/// The one place where a worker's decisions become sockets and handler calls.
///
/// It is made on the socket thread and used by one thread at a time, which has its turn. Handlers run elsewhere, so a busy or
/// hung one never silences the worker; only those that are expected to take less time than waking another thread run here,
/// and when one of them takes longer after all, another thread goes on in this one's place: see ``run(orReplace:)``.
final class WorkerEdge {
    /// What other threads tell the socket thread.
    enum Input: Sendable {
        case handler(HandlerOutcome)
        case drain(after: Duration)
    }

    /// How many messages or reports are taken in before anything is sent.
    private let roundLimit = 64

    private var context: Context? = Context()
    private let turn = SocketTurn()
    private let endpoint: String
    private let key: PeerKey?
    private var handshakes: HandshakeWatch
    private let mailbox: Mailbox<Input>
    private let handlers: EffectRunner
    private let threads: HandlerThreads
    private let log: WorkerLog
    private let vitals: Vitals
    private let metrics: WorkerMetrics?
    // The machine calls nobody, so nobody needs to check at run time that it is not changed twice at once.
    @exclusivity(unchecked) private var machine: WorkerMachine
    private var connection: CoordinatorConnection?
    /// When the next connection is made, while there is none.
    private var connectsAt: Moment?
    private var ready = CoordinatorConnection.Ready()
    /// Whether handlers may wait that were left to this thread.
    private var mayHelp = false
    private var now = Moment.current
    private var exit: WorkerExit?
    /// Effects whose handlers have ended.
    private var handled = 0

    // Memory used again and again.
    // Unchecked: what is taken out is moved out first, and only then handled.
    @exclusivity(unchecked) private var inputs: [Input] = []
    private var frame: [UInt8] = []

    init(
        endpoint: String, key: PeerKey?, configuration: WorkerConfiguration, mailbox: Mailbox<Input>,
        handlers: EffectRunner, threads: HandlerThreads, log: WorkerLog, vitals: Vitals, metrics: WorkerMetrics?
    ) {
        self.threads = threads
        self.vitals = vitals
        self.metrics = metrics
        self.endpoint = endpoint
        self.key = key
        handshakes = HandshakeWatch(hasKey: key != nil)
        self.mailbox = mailbox
        self.handlers = handlers
        self.log = log
        machine = WorkerMachine(configuration)
    }

    /// Connects; before anything else.
    ///
    /// - Throws: ``WorkerError`` for an endpoint that can never work.
    func begin() throws {
        log.connecting(to: endpoint)
        try connect()
    }

    /// Runs until the worker has left, or until a handler has kept this thread so long that `replace` was called: then
    /// whoever ``takeOver()``s runs it, and this thread has nothing to do with it any more.
    ///
    /// - Returns: why it left; `nil` when it did not.
    /// - Throws: ``WorkerError`` when the keys do not fit.
    func run(orReplace replace: @escaping @Sendable () -> Void) throws -> WorkerExit? {
        while true {
            now = .current
            vitals.beat(at: now.nanoseconds)
            let more = try takeIn()
            if let exit {
                log.left(handled: handled)
                return exit
            }
            if mayHelp {
                turn.give()
                let help = threads.help(orReplace: replace)
                if help == .replaced { return nil }
                turn.take()
                mayHelp = help == .done(more: true)
                if mayHelp { ready.messages = true }
                if help != .notNeeded { continue }  // what handlers reported waits
            }
            guard !more else { continue }
            let deadline = Moment.earliest(machine.nextDeadline, connectsAt)
            // Without a coordinator nothing may fall due for long: whoever asks whether this thread lives needs to see it.
            let timeout = deadline.map { max(.zero, $0 - Moment.current) } ?? .seconds(1)
            try wait(timeout: min(timeout, .seconds(1)))
        }
    }

    /// Makes it the calling thread's turn, in place of one that a handler keeps.
    func takeOver() {
        turn.take()
    }

    /// Closes its sockets, once it has left, and stops what still runs.
    func close() {
        handlers.cancelAll()
        connection = nil
        // Long enough for what was said last to leave, and short enough for whoever stops a worker.
        context.take()?.terminate(patience: .seconds(1))
    }

    private func connect() throws {
        guard let context else { return }
        do throws(ZeroMQError) {
            connection = try CoordinatorConnection(
                to: endpoint, key: key, in: context, wakeUp: mailbox.wakeUp, turn: turn,
                effectKinds: handlers.effectKinds)
        } catch {
            throw WorkerError(.endpoint, "Cannot connect to \(endpoint): \(error)")
        }
    }

    private func wait(timeout: Duration) throws {
        guard mailbox.mayWait() else { return mailbox.stayAwake(isReadable: false) }
        if let connection {
            ready = try connection.wait(timeout: timeout)
        } else {
            var poller = Poller()
            _ = poller.add(mailbox.wakeUp)
            ready.wakeUp = try poller.wait(timeout: timeout) > 0
        }
        mailbox.stayAwake(isReadable: ready.wakeUp)
    }

    /// One round: everything that waits, then one decision.
    ///
    /// - Returns: whether more may wait than one round takes.
    private func takeIn() throws -> Bool {
        mailbox.take(into: &inputs)
        // Taken from the end, so that they are moved and not copied, as the array's own `reverse()` would.
        inputs.withUnsafeMutableBufferPointer { $0.reverse() }
        while let input = inputs.popLast() {
            if inputs.count % roundLimit == roundLimit - 1 {
                // However much waits, heartbeats leave in time.
                now = .current
                try tick()
                try perform(machine.handle(.flush, at: now))
            }
            try take(input)
        }
        let more = try receive()
        if let connectsAt, connectsAt <= now {
            self.connectsAt = nil
            try connect()
        }
        try tick()
        try perform(machine.handle(.flush, at: now))
        return more
    }

    private func tick() throws {
        guard let deadline = machine.nextDeadline, deadline <= now else { return }
        _ = machine.handle(.progress(handlers.progress), at: now)
        try perform(machine.handle(.tick, at: now))
    }

    private func take(_ input: consuming Input) throws {
        switch consume input {
        case .handler(let outcome): try take(outcome)
        case .drain(let limit): try perform(machine.handle(.drain(deadline: now + limit), at: now))
        }
    }

    private func take(_ outcome: consuming HandlerOutcome) throws {
        switch consume outcome {
        case .report(let id, let event, let final):
            if final {
                metrics?.ended(id, hasFailed: false, at: now)
                handlers.ended(id)
                handled += 1
            }
            let actions = machine.handleReport(id, event: consume event, final: final, at: now)
            if !actions.isEmpty { try perform(actions) }
        case .failed(let id, let failure):
            metrics?.ended(id, hasFailed: true, at: now)
            handlers.ended(id)
            log.failed(id, failure)
            try perform(
                machine.handle(
                    .failed(id, retryable: failure.retryable, delay: failure.delay, reason: failure.reason), at: now))
        }
    }

    private func run(_ orders: consuming [EffectOrder]) {
        guard !orders.isEmpty else { return }
        metrics?.began(orders, at: now)
        let traced = handlers.isTracing ? orders.map(\.id) : []
        handlers.run(orders)
        mayHelp = true
        for id in traced { machine.trace(id, handlers.traceparent(of: id)) }
    }

    private func receive() throws -> Bool {
        let ready = ready
        self.ready = CoordinatorConnection.Ready()
        while ready.events, let event = try connection?.nextMonitorEvent() {
            log.connection(event)
            if let refusal = handshakes.take(event) {
                throw WorkerError(.forbidden, refusal.sentence(at: endpoint, key: key))
            }
            guard event.kind == .handshakeSucceeded else { continue }
            _ = machine.handle(.progress(handlers.progress), at: now)
            try perform(machine.handle(.connected, at: now))
        }
        guard ready.messages else { return false }
        for _ in 0..<(ready.isLone ? 1 : roundLimit) {
            guard let connection else { return false }
            let received = try connection.receive()
            switch consume received {
            case .nothing: return false
            case .message(let envelope):
                var orders: [EffectOrder] = []
                try perform(machine.handle(.received(consume envelope), orders: &orders, at: now))
                run(consume orders)
            case .malformed(let error): try perform(machine.handle(.malformed(error), at: now))
            }
        }
        guard !ready.isLone else { return false }
        self.ready.messages = true
        return true
    }

    private func perform(_ actions: consuming [WorkerAction]) throws {
        guard !actions.isEmpty else { return }
        // Taken from the end, so that they are moved and not copied, as the array's own `reverse()` would.
        actions.withUnsafeMutableBufferPointer { $0.reverse() }
        while let action = actions.popLast() {
            switch consume action {
            case .send(let envelope): try send(envelope)
            case .reconnect(let pause):
                serves(false)
                connection = nil
                connectsAt = now + pause
            case .run(let order): run([order])
            case .cancel(let id): handlers.cancel(id)
            case .acknowledged(let id, let events, let bytes):
                handlers.acknowledged(id, events: events, bytes: bytes)
            case .note(let note):
                log.note(note)
                if case .joined = note { serves(true) }
                if case .coordinatorStopping = note { serves(false) }
            case .exit(let reason): exit = reason
            }
        }
    }

    private func serves(_ serves: Bool) {
        vitals.serves(serves)
        metrics?.isConnected(serves)
    }

    private func send(_ envelope: Envelope<WorkerMessage>) throws {
        frame.removeAll(keepingCapacity: true)
        envelope.encode(into: &frame)
        if case .events = envelope.message { Failpoint.beforeReport.pass() }
        try connection?.send(frame)  // what cannot be sent now is lost: the protocol repairs losses
        if case .events = envelope.message { Failpoint.afterReport.pass() }
    }
}
