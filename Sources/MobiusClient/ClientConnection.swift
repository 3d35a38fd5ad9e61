import MobiusTransport
import MobiusWire

/// One DEALER to one coordinator, with its monitor and poller; a client that moves makes a new one.
final class ClientConnection {
    // Declared in the order in which they must be released: the poller first.
    private var poller = Poller()
    private let wakeUp: Poller.Item
    private let monitor: SocketMonitor
    private let socket: Socket

    /// - Parameter keepsOrder: Whether every request is queued that is sent: one that libzmq does not take would be
    ///   overtaken by the next one.
    init(
        to endpoint: String, key: PeerKey?, keepsOrder: Bool, in context: Context, wakeUp: WakeUp
    ) throws(ZeroMQError) {
        socket = try context.socket(.dealer)
        try socket.prepareAsClient()
        if keepsOrder { try socket.set(.sendHighWaterMark, to: 0) }
        try key?.lock(socket)
        monitor = try socket.monitor()
        try socket.connect(endpoint)
        self.wakeUp = poller.add(wakeUp)
        _ = poller.add(socket)
        _ = poller.add(monitor)
    }

    func nextEvent() throws(ZeroMQError) -> MonitorEvent? {
        try monitor.next()
    }

    /// The next message as an input, if one is ready.
    func receive(into message: inout Message) throws(ZeroMQError) -> ClientMachine.Input? {
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

    func send(_ frame: [UInt8]) throws(ZeroMQError) {
        _ = try socket.send(frame)  // a request that cannot be sent now is repeated
    }

    /// Waits for a message, an event or the wake-up; returns whether the wake-up came.
    func wait(timeout: Duration?) throws(ZeroMQError) -> Bool {
        try poller.wait(timeout: timeout)
        return poller.isReadable(wakeUp)
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
