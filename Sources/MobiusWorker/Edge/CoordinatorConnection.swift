import MobiusDriver
import MobiusEngine
import MobiusTransport
import MobiusWire

/// One DEALER to one coordinator, with its monitor; a worker that reconnects creates a new one.
///
/// Only the thread that holds the socket lock uses it.
final class CoordinatorConnection {
    /// The sources that are ready; reads from the others would cost system calls in vain.
    struct Ready {
        var messages = false
        /// Whether the poller slept until now, so that only one message is to be expected.
        var expectsOne = false
        var events = false
    }

    // Declared in the order in which they must be released.
    private let monitor: SocketMonitor
    private let socket: Socket
    private var message = Message()

    init(
        to endpoint: String, key: PeerKey?, in context: Context, lock: SocketLock
    ) throws(ZeroMQError) {
        socket = try context.socket(.dealer, lock: lock)
        try socket.prepareAsWorker()
        try key?.lock(socket)
        monitor = try socket.monitor()
        try socket.connect(endpoint)
    }

    /// Adds its sources to a poller, which must not outlive it.
    func add(to poller: inout Poller) -> (messages: Poller.Item, events: Poller.Item) {
        (poller.add(socket), poller.add(monitor))
    }

    func nextMonitorEvent() throws(ZeroMQError) -> MonitorEvent? {
        try monitor.next()
    }

    /// Passes the next message to the driver, if one is ready.
    ///
    /// - Returns: whether a message was ready.
    func receive(into driver: WorkerDriver, at now: Moment) throws(ZeroMQError) -> Bool {
        switch try socket.receiveWhole(into: &message) {
        case .nothing: return false
        case .malformed(let frames):
            driver.receive(WireError(.trailingBytes, "\(frames) frames instead of one"), at: now)
        case .message: message.withBytes { driver.receive($0, at: now) }
        }
        return true
    }

    /// Sends a frame without waiting; if it cannot be queued, it is dropped, and the protocol repairs the loss.
    func send(_ frame: [UInt8]) throws(ZeroMQError) {
        _ = try socket.send(frame)
    }
}
