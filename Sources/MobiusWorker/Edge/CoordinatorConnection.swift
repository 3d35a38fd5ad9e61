import MobiusKeys
import MobiusRuntime
import MobiusWire
import ZeroMQ

/// One DEALER to one coordinator, and all that waits with it; a worker that reconnects makes a new one.
///
/// It belongs to whoever has the edge's turn.
final class CoordinatorConnection {
    /// What there was to receive.
    enum Received {
        case message(Envelope<CoordinatorMessage>)
        case malformed(WireError)
        case nothing
    }

    /// Where there is something: a look at a socket that has nothing costs system calls.
    struct Ready {
        var wakeUp = false
        var messages = false
        /// Whether one message is all that can be expected.
        var isLone = false
        var events = false
    }

    // Declared in the order in which they must end: the poller first.
    private var poller = Poller()
    private let wakeUp: Poller.Item
    private let messages: Poller.Item
    private let events: Poller.Item
    private let monitor: SocketMonitor
    private let socket: Socket
    private var message = Message()
    private let effectKinds: [PayloadKind]

    /// - Parameter effectKinds: What nearly all effects are that come.
    init(
        to endpoint: String, key: PeerKey?, in context: Context, wakeUp: WakeUp, turn: SocketTurn,
        effectKinds: [PayloadKind]
    ) throws(ZeroMQError) {
        self.effectKinds = effectKinds
        socket = try context.socket(.dealer, turn: turn)
        try socket.prepareAsWorker()
        try key?.lock(socket)
        monitor = try socket.monitor()
        try socket.connect(endpoint)
        self.wakeUp = poller.add(wakeUp)
        messages = poller.add(socket)
        events = poller.add(monitor)
    }

    /// Waits for a message, an event of the connection or the wake-up; answers which of them came.
    func wait(timeout: Duration?) throws(ZeroMQError) -> Ready {
        try poller.wait(timeout: timeout)
        return Ready(
            wakeUp: poller.isReadable(wakeUp), messages: poller.isReadable(messages), isLone: poller.hasSlept,
            events: poller.isReadable(events))
    }

    func nextMonitorEvent() throws(ZeroMQError) -> MonitorEvent? {
        try monitor.next()
    }

    func receive() throws(ZeroMQError) -> Received {
        switch try socket.receiveWhole(into: &message) {
        case .nothing: return .nothing
        case .malformed(let frames): return .malformed(WireError(.trailingBytes, "\(frames) frames instead of one"))
        case .message:
            do throws(WireError) {
                return .message(
                    try message.withBytes { (bytes) throws(WireError) in
                        try Envelope<CoordinatorMessage>(decoding: bytes, known: effectKinds)
                    })
            } catch {
                return .malformed(error)
            }
        }
    }

    /// Sends a frame if that is possible at once.
    func send(_ frame: [UInt8]) throws(ZeroMQError) {
        _ = try socket.send(frame)
    }
}
