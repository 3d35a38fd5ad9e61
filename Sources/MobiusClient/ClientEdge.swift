import Logging
import MobiusKeys
import MobiusWire
import ZeroMQ

/// Performs a client machine's actions; made and used on its socket thread.
final class ClientEdge {
    private let endpoint: String
    private let keepsOrder: Bool
    private let key: PeerKey?
    private var handshakes: HandshakeWatch
    private var reach = ReachWatch()
    private let logger: Logger
    private let mailbox: ClientMailbox
    private var machine: ClientMachine
    private var calls: [UInt64: ClientReply] = [:]
    private var isClosing = false

    // Reused memory.
    private var frame: [UInt8] = []
    private var message = Message()

    init(endpoint: String, key: PeerKey?, window: Int, mailbox: ClientMailbox, logger: Logger) {
        self.endpoint = endpoint
        keepsOrder = window > ClientMachine.window
        self.key = key
        handshakes = HandshakeWatch(hasKey: key != nil)
        self.mailbox = mailbox
        self.logger = logger
        var random = SystemRandomNumberGenerator()
        machine = ClientMachine(seed: random.next(), window: window)
    }

    /// Serves requests until the client is closed.
    ///
    /// - Throws: `ZeroMQError` for an endpoint that can never work; all requests have ended then.
    func run(in context: Context) throws(ZeroMQError) {
        let socket = try context.socket(.dealer)
        try socket.prepareAsClient()
        // A request that libzmq does not take would be overtaken by the next one; the sender bounds their bytes.
        if keepsOrder { try socket.set(.sendHighWaterMark, to: 0) }
        try key?.lock(socket)
        let monitor = try socket.monitor()
        try socket.connect(endpoint)
        var poller = Poller()
        let wakeUp = poller.add(mailbox.wakeUp)
        _ = poller.add(socket)
        _ = poller.add(monitor)
        while true {
            for input in mailbox.take() { try take(input, socket) }
            while let event = try monitor.next() { try take(event, socket) }
            while let input = try receive(socket) { try tell(input, socket) }
            if let deadline = machine.nextDeadline, deadline <= .now { try tell(.tick, socket) }
            if isClosing { return }
            warnIfUnreached()
            let deadline = [machine.nextDeadline, reach.nextWarning].compactMap { $0 }.min()
            let timeout = deadline.map { max(.zero, $0 - .now) }
            try poller.wait(timeout: timeout)
            if poller.isReadable(wakeUp) { mailbox.wakeUp.drain() }
        }
    }

    /// Warns when requests wait and no coordinator is reached; another thread asks the system for the reason.
    private func warnIfUnreached() {
        reach.note(isReached: machine.isConnected || calls.isEmpty, at: .now)
        guard let warning = reach.warning(at: .now) else { return }
        let (endpoint, logger) = (endpoint, logger)
        _ = DetachedThread.start(named: "probe") {
            let problem = EndpointProbe.problem(at: endpoint) ?? warning.problem
            logger.warning(
                "no coordinator reached, still trying",
                metadata: [
                    "endpoint": "\(endpoint)", "for": "\(warning.lasting.components.seconds)s",
                    "error": "\(problem ?? "what listens there does not answer as a coordinator does")",
                ])
        }
    }

    /// Ends all requests with this outcome.
    func fail(_ outcome: ClientMachine.Outcome) {
        for call in calls.values { call.resume(returning: outcome) }
        calls.removeAll()
    }

    private func take(_ input: ClientInput, _ socket: borrowing Socket) throws(ZeroMQError) {
        switch input {
        case .ask(let call):
            calls[call.request.number] = call.reply
            try tell(.ask(call.request, deadline: call.deadline), socket)
        case .cancel(let number):
            // The cancelling caller throws `CancellationError` and ignores the outcome.
            calls.removeValue(forKey: number)?.resume(returning: .closed)
            try tell(.cancel(number), socket)
        case .close:
            isClosing = true
            try tell(.close, socket)
        }
    }

    private func take(_ event: MonitorEvent, _ socket: borrowing Socket) throws(ZeroMQError) {
        reach.take(event)
        if let refusal = handshakes.take(event) {
            return try tell(.forbidden(refusal.sentence(at: endpoint, key: key)), socket)
        }
        switch event.kind {
        case .handshakeSucceeded: try tell(.connected, socket)
        case .disconnected: try tell(.disconnected, socket)
        case .handshakeFailed(.protocolError):
            try tell(.strange("it is not a compatible ZeroMQ peer"), socket)
        default: break
        }
    }

    private func receive(_ socket: borrowing Socket) throws(ZeroMQError) -> ClientMachine.Input? {
        switch try socket.receiveWhole(into: &message) {
        case .nothing: return nil
        case .malformed(let frames): return .strange("an answer came in \(frames) frames instead of one")
        case .message: return message.withBytes { Self.input(decoding: $0) }
        }
    }

    private static func input(decoding bytes: RawSpan) -> ClientMachine.Input {
        do throws(WireError) {
            return .answered(try NumberedAnswer(decoding: bytes))
        } catch {
            guard (try? Envelope<CoordinatorMessage>(decoding: bytes)) == nil else {
                return .strange("that is its endpoint for workers; the one for clients is by default the next port")
            }
            return .strange("its answer is invalid (\(error))")
        }
    }

    private func tell(_ input: ClientMachine.Input, _ socket: borrowing Socket) throws(ZeroMQError) {
        for action in machine.handle(input, at: .now) {
            switch action {
            case .send(let request):
                frame.removeAll(keepingCapacity: true)
                request.encode(into: &frame)
                _ = try socket.send(frame)  // a request that cannot be sent now is repeated
            case .finish(let number, let outcome):
                calls.removeValue(forKey: number)?.resume(returning: outcome)
            }
        }
    }
}

extension Socket {
    fileprivate func prepareAsClient() throws(ZeroMQError) {
        try set(.immediate, to: true)  // otherwise requests are queued for a connection that may never come
        try set(.reconnectInterval, to: .milliseconds(50))
        try set(.reconnectIntervalMax, to: .seconds(1))
        try set(.receiveHighWaterMark, to: 0)  // answers are few, and bounded by what was asked
        try endDeadConnections(after: 4)
        try set(.linger, to: .zero)  // unsent requests have no caller any more
    }
}
