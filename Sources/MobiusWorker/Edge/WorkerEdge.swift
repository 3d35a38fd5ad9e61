import MobiusDriver
import MobiusEngine
import MobiusRuntime
import MobiusTransport
import MobiusWire

/// Feeds a worker's driver with inputs from its socket, its handlers and the clock.
///
/// Only the thread that holds the socket lock uses it; at first, that is the thread that created it. Handlers run on
/// other threads, so a busy or hung handler does not stop heartbeats. Handlers that are expected to take less time than
/// waking another thread run on this thread. If one takes longer, another thread takes over: see ``run(onStall:)``.
final class WorkerEdge {
    /// An input from another thread to the socket thread.
    enum Input: Sendable {
        case handler(HandlerOutcome)
        case drain(after: Duration)
    }

    /// The number of messages or reports that are handled before anything is sent.
    private let roundLimit = 64

    private let lock = SocketLock()
    private let sockets: WorkerSockets
    private let driver: ShardDrivers
    private var reach = ReachWatch()
    private let mailbox: Mailbox<Input>
    private let handlers: EffectRunner
    private let threads: HandlerThreads
    private let telemetry: WorkerTelemetry
    /// Whether handlers may wait that are to run on this thread.
    private var mayHaveInlineJobs = false
    private var now = Moment.current

    // Kept to reuse its memory. Unchecked: an input is moved out of the array before it is handled.
    @exclusivity(unchecked) private var inputs: [Input] = []

    init(
        key: PeerKey?, configuration: WorkerConfiguration, mailbox: Mailbox<Input>,
        handlers: EffectRunner, threads: HandlerThreads, telemetry: WorkerTelemetry
    ) {
        self.mailbox = mailbox
        self.handlers = handlers
        self.threads = threads
        self.telemetry = telemetry
        let sockets = WorkerSockets(wakeUp: mailbox.wakeUp)
        self.sockets = sockets
        driver = ShardDrivers(configuration, handlers: handlers) { [lock] shard in
            let observer = telemetry.observer(of: shard)
            let socket = WorkerSocket(
                doors: configuration.endpoints, key: key, context: sockets.context, lock: lock, telemetry: observer)
            sockets.add(socket)
            return ShardDrivers.Ports(transport: socket, observer: observer)
        }
    }

    /// Connects; call it first.
    ///
    /// - Throws: ``WorkerError`` for an endpoint that can never work.
    func begin() throws {
        telemetry.log.connecting(to: sockets.all[0].endpoint)
        driver.all[0].begin()
        try sockets.throwFailure()
    }

    /// Runs until the worker has left, or until a handler has blocked this thread so long that `replace` was called.
    ///
    /// In the second case, the thread that calls ``takeOver()`` runs the edge, and the calling thread must not use it
    /// again.
    ///
    /// - Parameter replace: called on another thread, once, when a handler blocks this thread.
    /// - Returns: why the worker left; `nil` when another thread has taken over.
    /// - Throws: ``WorkerError`` when the coordinator refuses the key, or an endpoint can never work; `ZeroMQError`
    ///   when a socket fails.
    func run(onStall replace: @escaping @Sendable () -> Void) throws -> WorkerExit? {
        while true {
            now = .current
            telemetry.beat(at: now)
            let more = try runRound()
            try sockets.throwFailure()
            warnIfUnreached()
            if let exit = driver.exit {
                telemetry.log.left(handled: driver.handled)
                if case .rejected(let reason) = exit { throw rejection(reason) }
                return exit
            }
            if driver.takeStarted() || mayHaveInlineJobs {
                lock.unlock()
                let inlineRun = threads.runInline(onStall: replace)
                if inlineRun == .replaced { return nil }
                lock.lock()
                mayHaveInlineJobs = inlineRun == .done(more: true)
                if mayHaveInlineJobs { sockets.readAll() }
                if inlineRun != .notNeeded { continue }  // reports of handlers wait
            }
            guard !more else { continue }
            // At least one round per second, because the liveness probe checks that this thread runs.
            let timeout = driver.nextDeadline.map { max(.zero, $0 - Moment.current) } ?? .seconds(1)
            try wait(timeout: min(timeout, .seconds(1)))
        }
    }

    /// Returns the error about a coordinator that does not admit the worker, with its endpoint.
    private func rejection(_ reason: String) -> WorkerError {
        let shard = driver.all.firstIndex { $0.exit == .rejected(reason) } ?? 0
        let sentence = "The coordinator at \(sockets.all[shard].endpoint) does not admit this worker: "
        guard reason.hasPrefix(CoordinatorMessage.forbidden) else {
            return WorkerError(.rejected, "\(sentence)\(reason).")
        }
        return WorkerError(.forbidden, "\(sentence)\(reason.dropFirst(CoordinatorMessage.forbidden.count)).")
    }

    /// Warns when no coordinator is reached for long; another thread asks the system for the reason, which may take time.
    private func warnIfUnreached() {
        reach.note(isReached: driver.isJoined, at: .now)
        guard reach.nextWarning != nil, let warning = reach.warning(at: .now) else { return }
        let (endpoint, log) = (sockets.all[0].endpoint, telemetry.log)
        _ = DetachedThread.start(named: "probe") {
            log.unreached(endpoint, warning, EndpointProbe.problem(at: endpoint))
        }
    }

    /// Locks the sockets on the calling thread, which replaces a thread that a handler blocks.
    func takeOver() {
        lock.lock()
    }

    /// Cancels the remaining handlers and closes the sockets; call it after the worker has left.
    func close() {
        handlers.cancelAll()
        sockets.close()
    }

    private func wait(timeout: Duration) throws {
        guard mailbox.mayWait() else { return mailbox.stayAwake(isReadable: false) }
        mailbox.stayAwake(isReadable: try sockets.wait(timeout: timeout))
    }

    /// Handles all inputs that wait, then decides what to send.
    ///
    /// - Returns: whether more messages may wait than one round handles.
    private func runRound() throws -> Bool {
        mailbox.drain(into: &inputs)
        // Reversed and taken from the end, so that inputs are moved; the array's own `reverse()` would copy them.
        inputs.withUnsafeMutableBufferPointer { $0.reverse() }
        while let input = inputs.popLast() {
            if inputs.count % roundLimit == roundLimit - 1 {
                // Heartbeats leave in time, however many inputs wait.
                now = .current
                decide()
            }
            switch consume input {
            case .handler(let outcome): driver.handle(consume outcome, at: now)
            case .drain(let limit): driver.drain(by: now + limit, at: now)
            }
        }
        let more = try receive()
        decide()
        return more
    }

    /// Handles due timers, and sends the messages that were collected until all inputs were handled.
    private func decide() {
        driver.decide(at: now)
    }

    private func receive() throws -> Bool {
        var more = false
        // The drivers of shards that are heard of meanwhile have received nothing.
        for (driver, socket) in zip(driver.all, sockets.all) {
            socket.hasLeft = driver.exit != nil
            guard !socket.hasLeft else { continue }
            if try socket.receive(into: driver, at: now, atMost: roundLimit, reach: &reach) { more = true }
        }
        return more
    }
}
