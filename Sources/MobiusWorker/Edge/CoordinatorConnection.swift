import MobiusKeys
import MobiusRuntime
import MobiusWire
import ZeroMQ

/// One DEALER to one coordinator, and all that waits with it; a worker that reconnects makes a new one.
///
/// It belongs to the socket thread.
final class CoordinatorConnection {
    /// What there was to receive.
    enum Received {
        case message(Envelope<CoordinatorMessage>)
        case malformed(WireError)
        case nothing
    }

    // Declared in the order in which they must end: the poller first.
    private var poller = Poller()
    private let wakeUp: WakeUp
    private let wakeUpItem: Poller.Item
    private let monitor: SocketMonitor
    private let socket: Socket
    private var message = Message()

    init(to endpoint: String, key: PeerKey?, in context: Context, wakeUp: WakeUp) throws(ZeroMQError) {
        socket = try context.socket(.dealer)
        try socket.prepareAsWorker()
        try key?.lock(socket)
        monitor = try socket.monitor()
        try socket.connect(endpoint)
        self.wakeUp = wakeUp
        wakeUpItem = poller.add(wakeUp)
        _ = poller.add(socket)
        _ = poller.add(monitor)
    }

    /// Waits for a message, an event of the connection or the wake-up, which is drained.
    func wait(timeout: Duration?) throws(ZeroMQError) {
        try poller.wait(timeout: timeout)
        if poller.isReadable(wakeUpItem) { wakeUp.drain() }
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
                        try Envelope<CoordinatorMessage>(decoding: bytes)
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
