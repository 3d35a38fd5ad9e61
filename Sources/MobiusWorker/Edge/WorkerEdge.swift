import MobiusDriver
import MobiusEngine
import MobiusKeys
import MobiusRuntime
import MobiusTransport
import MobiusWire
import ZeroMQ

/// Brings a worker's driver what comes from its socket, its handlers and the clock.
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

    private let turn = SocketTurn()
    private let socket: WorkerSocket
    private let driver: WorkerDriver
    private let endpoint: String
    private let key: PeerKey?
    private var handshakes: HandshakeWatch
    private let mailbox: Mailbox<Input>
    private let handlers: EffectRunner
    private let threads: HandlerThreads
    private let telemetry: WorkerTelemetry
    private var ready = CoordinatorConnection.Ready()
    /// Whether handlers may wait that were left to this thread.
    private var mayHelp = false
    private var now = Moment.current

    // Memory used again and again.
    // Unchecked: what is taken out is moved out first, and only then handled.
    @exclusivity(unchecked) private var inputs: [Input] = []

    init(
        endpoint: String, key: PeerKey?, configuration: WorkerConfiguration, mailbox: Mailbox<Input>,
        handlers: EffectRunner, threads: HandlerThreads, telemetry: WorkerTelemetry
    ) {
        self.endpoint = endpoint
        self.key = key
        handshakes = HandshakeWatch(hasKey: key != nil)
        self.mailbox = mailbox
        self.handlers = handlers
        self.threads = threads
        self.telemetry = telemetry
        socket = WorkerSocket(
            endpoint: endpoint, key: key, wakeUp: mailbox.wakeUp, turn: turn, telemetry: telemetry)
        driver = WorkerDriver(configuration, transport: socket, handlers: handlers, observer: telemetry)
    }

    /// Connects; before anything else.
    ///
    /// - Throws: ``WorkerError`` for an endpoint that can never work.
    func begin() throws {
        telemetry.log.connecting(to: endpoint)
        driver.begin()
        try socket.throwFailure()
    }

    /// Runs until the worker has left, or until a handler has kept this thread so long that `replace` was called: then
    /// whoever ``takeOver()``s runs it, and this thread has nothing to do with it any more.
    ///
    /// - Returns: why it left; `nil` when it did not.
    /// - Throws: ``WorkerError`` when the keys do not fit.
    func run(orReplace replace: @escaping @Sendable () -> Void) throws -> WorkerExit? {
        while true {
            now = .current
            telemetry.beat(at: now)
            let more = try takeIn()
            try socket.throwFailure()
            if let exit = driver.exit {
                telemetry.log.left(handled: driver.handled)
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
            // Without a coordinator nothing may fall due for long: whoever asks whether this thread lives needs to see it.
            let timeout = driver.nextDeadline.map { max(.zero, $0 - Moment.current) } ?? .seconds(1)
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
        socket.close()
    }

    private func wait(timeout: Duration) throws {
        guard mailbox.mayWait() else { return mailbox.stayAwake(isReadable: false) }
        ready = try socket.wait(timeout: timeout)
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
                decide()
            }
            switch consume input {
            case .handler(let outcome): driver.take(consume outcome, at: now)
            case .drain(let limit): driver.drain(by: now + limit, at: now)
            }
            perform()
        }
        let more = try receive()
        decide()
        return more
    }

    /// Does what is due, and sends what was held back until all that waited was handed in.
    private func decide() {
        driver.tick(at: now)
        perform()
        driver.flush(at: now)
        perform()
    }

    private func perform() {
        if driver.performAll(at: now) { mayHelp = true }
    }

    private func receive() throws -> Bool {
        let ready = ready
        self.ready = CoordinatorConnection.Ready()
        while ready.events, let event = try socket.connection?.nextMonitorEvent() {
            telemetry.log.connection(event)
            if let refusal = handshakes.take(event) {
                throw WorkerError(.forbidden, refusal.sentence(at: endpoint, key: key))
            }
            guard event.kind == .handshakeSucceeded else { continue }
            driver.connected(at: now)
            perform()
        }
        guard ready.messages else { return false }
        for _ in 0..<(ready.isLone ? 1 : roundLimit) {
            guard try socket.connection?.receive(into: driver, at: now) == true else { return false }
            perform()
        }
        guard !ready.isLone else { return false }
        self.ready.messages = true
        return true
    }
}
