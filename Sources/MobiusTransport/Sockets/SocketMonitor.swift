import CZeroMQ
import Synchronization

/// Reports the events of a socket's connections.
///
/// Made by ``Socket/monitor()`` and used on the same thread. Add it to a ``Poller`` and call ``next()`` until it
/// returns `nil`: unread events are kept. It may end before or after its socket.
public struct SocketMonitor: ~Copyable {
    /// The receiving socket of the pair; libzmq writes to the other one.
    let socket: Socket
    private let observed: UnsafeMutableRawPointer
    private let life: SocketLife

    init(reading socket: consuming Socket, observing observed: borrowing Socket) {
        self.socket = socket
        self.observed = observed.handle
        life = observed.life
    }

    deinit {
        // Before the pair closes; otherwise libzmq's I/O thread would wait for a missing reader.
        if life.isOpen.load(ordering: .acquiring) { zmq_socket_monitor(observed, nil, 0) }
        life.isMonitored.store(false, ordering: .relaxed)
    }

    /// The next event, or `nil` when none is waiting; never waits.
    public func next() throws(ZeroMQError) -> MonitorEvent? {
        var message = Message()
        guard try socket.receive(into: &message) else { return nil }
        // 16 bits of event and 32 bits of value, in this machine's byte order; then a frame with the endpoint.
        let head = message.withUnsafeBytes { bytes in
            bytes.count < 6
                ? nil
                : (bytes.loadUnaligned(as: UInt16.self), bytes.loadUnaligned(fromByteOffset: 2, as: Int32.self))
        }
        guard let (number, value) = head, message.more, try socket.receive(into: &message) else {
            throw ZeroMQError(.notSupported, "read a monitor event of this version of libzmq")
        }
        let endpoint = message.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        return MonitorEvent(MonitorEvent.Kind(number: number), value: Int(value), endpoint: endpoint)
    }
}

extension Socket {
    /// Starts to report the events of this socket's connections; a socket has one monitor at a time.
    ///
    /// - Throws: `tooManySockets`, or `addressInUse` while another monitor of this socket lives.
    public func monitor() throws(ZeroMQError) -> SocketMonitor {
        checkThread()
        guard !life.isMonitored.exchange(true, ordering: .relaxed) else {
            throw ZeroMQError(.addressInUse, "monitor a \(type) socket, which has a monitor already")
        }
        do {
            return SocketMonitor(reading: try monitorPair(), observing: self)
        } catch {
            zmq_socket_monitor(handle, nil, 0)
            life.isMonitored.store(false, ordering: .relaxed)
            throw error
        }
    }

    /// The socket to which libzmq writes this one's events.
    private func monitorPair() throws(ZeroMQError) -> Socket {
        let endpoint = "inproc://ZeroMQ.SocketMonitor.\(monitorCount.add(1, ordering: .relaxed).newValue)"
        let pair = try life.context.socket(.pair, lock: lock.isShared ? lock : nil)
        // Without limit: libzmq's I/O thread would stop at a full queue.
        try pair.set(.receiveHighWaterMark, to: 0)
        if zmq_socket_monitor(handle, endpoint, ZMQ_EVENT_ALL) != 0 { throw .last("monitor a \(type) socket") }
        try pair.connect(endpoint)
        return pair
    }
}

/// Numbers the inproc endpoints of all monitors of the process.
private let monitorCount = Atomic<Int>(0)
