import Logging
import MobiusTransport
import MobiusWire

/// Performs a client machine's actions; made and used on its socket thread.
final class ClientEdge {
    /// The endpoints that the client was given.
    private let doors: [String]
    /// The endpoint to which it is connected, or was last.
    private var endpoint: String
    /// `nil` during a pause before the next one.
    private var connection: ClientConnection?
    /// The time at which to connect again, while there is no connection.
    private var connectsAt: ContinuousClock.Instant?
    /// The endpoint of a MOVED that cannot be used, and was logged last.
    private var ignored: String?
    private let keepsOrder: Bool
    private let key: PeerKey?
    private var handshakes: HandshakeWatch
    private var reach = ReachWatch()
    private let logger: Logger
    private let mailbox: ClientMailbox
    private var machine: ClientMachine
    private var calls: [UInt64: ClientCall] = [:]
    /// Called with calls for other shards, in their order.
    private let sendAway: ([ClientCall], ClusterMap) -> Void
    private var isClosing = false

    // Reused memory.
    private var frame: [UInt8] = []
    private var message = Message()

    /// - Parameter doors: The endpoints of all coordinators, at least one.
    init(
        doors: [String], key: PeerKey?, window: Int, shard: Int, mailbox: ClientMailbox, logger: Logger,
        sendAway: @escaping ([ClientCall], ClusterMap) -> Void
    ) {
        precondition(!doors.isEmpty, "A client has at least one endpoint.")
        self.doors = doors
        endpoint = doors[0]
        keepsOrder = window > ClientMachine.window
        self.key = key
        handshakes = HandshakeWatch(hasKey: key != nil)
        self.mailbox = mailbox
        self.logger = logger
        self.sendAway = sendAway
        var random = SystemRandomNumberGenerator()
        machine = ClientMachine(seed: random.next(), window: window, endpoints: doors, shard: shard)
    }

    /// Serves requests until the client is closed.
    ///
    /// - Throws: `ZeroMQError` for an endpoint that can never work; all requests have ended then.
    func run(in context: Context) throws(ZeroMQError) {
        defer { connection = nil }
        try connect(in: context)
        while true {
            for input in mailbox.drain() { try handle(input) }
            // Answers first: they may have come before the connection was lost.
            while let input = try connection?.receive(into: &message) { try tell(input) }
            while let event = try connection?.nextEvent() { try handle(event) }
            if let deadline = machine.nextDeadline, deadline <= .now { try tell(.tick) }
            if isClosing { return }
            if let time = connectsAt, time <= .now { try connect(in: context) }
            warnIfUnreached()
            let deadline = [machine.nextDeadline, reach.nextWarning, connectsAt].compactMap { $0 }.min()
            if try wait(timeout: deadline.map { max(.zero, $0 - .now) }) { mailbox.wakeUp.drain() }
        }
    }

    /// Returns whether the wake-up came.
    private func wait(timeout: Duration?) throws(ZeroMQError) -> Bool {
        if let connection { return try connection.wait(timeout: timeout) }
        var poller = Poller()
        _ = poller.add(mailbox.wakeUp)
        return try poller.wait(timeout: timeout) > 0
    }

    private func connect(in context: Context) throws(ZeroMQError) {
        connectsAt = nil
        let isFrontDoor = doors.contains(endpoint)
        do throws(ZeroMQError) {
            if !isFrontDoor, let problem = Self.problem(at: endpoint, hasKey: key != nil) { return ignore(problem) }
            connection = try ClientConnection(
                to: endpoint, key: key, keepsOrder: keepsOrder, in: context, wakeUp: mailbox.wakeUp)
        } catch {
            guard !isFrontDoor else { throw error }
            ignore("\(error)")
        }
    }

    private static func problem(at endpoint: String, hasKey: Bool) -> String? {
        do throws(KeyError) {
            try EndpointScope.check(toConnect: endpoint, hasKey: hasKey)
            return nil
        } catch {
            return error.message
        }
    }

    /// Requests do not end because of what a coordinator names: without a connection the machine goes on soon.
    private func ignore(_ problem: String) {
        defer { ignored = endpoint }
        guard ignored != endpoint else { return }
        logger.warning(
            "the endpoint of the owner cannot be used", metadata: ["endpoint": "\(endpoint)", "reason": "\(problem)"])
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
        for call in calls.values { call.reply.resume(returning: outcome) }
        calls.removeAll()
    }

    private func handle(_ input: ClientInput) throws(ZeroMQError) {
        switch input {
        case .ask(let call):
            calls[call.request.number] = call
            try tell(.ask(call.request, deadline: call.deadline, isRouted: call.isRouted))
        case .cancel(let number):
            // The cancelling caller throws `CancellationError` and ignores the outcome.
            calls.removeValue(forKey: number)?.reply.resume(returning: .closed)
            try tell(.cancel(number))
        case .close:
            isClosing = true
            try tell(.close)
        }
    }

    private func handle(_ event: MonitorEvent) throws(ZeroMQError) {
        reach.note(event)
        // Only those that the user named can refuse for good.
        if !machine.isMoved, let refusal = handshakes.handle(event) {
            return try tell(.forbidden(refusal.sentence(at: endpoint, key: key)))
        }
        switch event.kind {
        case .handshakeSucceeded: try tell(.connected)
        case .handshakeFailed(.protocolError):
            try tell(.strange("it is not a compatible ZeroMQ peer"))
        case .disconnected, .connectRetried, .handshakeFailed: try tell(.disconnected)
        default: break
        }
    }

    private func tell(_ input: ClientMachine.Input) throws(ZeroMQError) {
        var away: (calls: [ClientCall], map: ClusterMap)?
        for action in machine.handle(input, at: .now) {
            switch action {
            case .send(let request):
                frame.removeAll(keepingCapacity: true)
                request.encode(into: &frame)
                try connection?.send(frame)
            case .finish(let number, .elsewhere(let map)):
                guard let call = calls.removeValue(forKey: number) else { continue }
                away = ((away?.calls ?? []) + [call], map)
            case .finish(let number, let outcome):
                calls.removeValue(forKey: number)?.reply.resume(returning: outcome)
            case .move(let next, let pause):
                connection = nil
                if let next { endpoint = next }
                connectsAt = .now + pause
            }
        }
        if let away { sendAway(away.calls, away.map) }
    }
}
