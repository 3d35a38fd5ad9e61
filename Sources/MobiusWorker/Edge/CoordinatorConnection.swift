import MobiusDriver
import MobiusEngine
import MobiusKeys
import MobiusTransport
import MobiusWire
import ZeroMQ

/// One DEALER to one coordinator, and all that waits with it; a worker that reconnects makes a new one.
///
/// It belongs to whoever has the edge's turn.
final class CoordinatorConnection {
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

    init(
        to endpoint: String, key: PeerKey?, in context: Context, wakeUp: WakeUp, turn: SocketTurn
    ) throws(ZeroMQError) {
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

    /// Hands a message to the driver, if one is there.
    ///
    /// - Returns: whether one was.
    func receive(into driver: WorkerDriver, at now: Moment) throws(ZeroMQError) -> Bool {
        switch try socket.receiveWhole(into: &message) {
        case .nothing: return false
        case .malformed(let frames):
            driver.receive(WireError(.trailingBytes, "\(frames) frames instead of one"), at: now)
        case .message: message.withBytes { driver.receive($0, at: now) }
        }
        return true
    }

    /// Sends a frame if that is possible at once.
    func send(_ frame: [UInt8]) throws(ZeroMQError) {
        _ = try socket.send(frame)
    }
}
