import CZeroMQ

/// The result of receiving.
public enum ReceiveResult: Sendable, Hashable {
    /// A message of the expected shape.
    case message
    /// Nothing is waiting.
    case nothing
    /// A message with more than the one expected frame. All of it was read and dropped; the next one is whole.
    case malformed(frames: Int)
}

extension Socket {
    /// Receives the next frame, or `false` when nothing is waiting; never waits.
    ///
    /// ``Message/more`` is whether further frames of the same message follow; they have already arrived.
    ///
    /// - Throws: anything except that nothing is waiting; `terminated` when the context ended.
    public func receive(into message: inout Message) throws(ZeroMQError) -> Bool {
        checkThread()
        return try receiveFrame(&message)
    }

    /// Receives the next message of one frame, on everything except ROUTER; never waits.
    ///
    /// After `.malformed` and `.nothing` the message is empty.
    public func receiveWhole(into message: inout Message) throws(ZeroMQError) -> ReceiveResult {
        checkThread()
        guard try receiveFrame(&message) else { return .nothing }
        return try checkEnd(of: &message)
    }

    /// Receives the next message of one frame at a ROUTER, and its sender; never waits.
    ///
    /// `peer` is set for `.malformed` too. After `.malformed` and `.nothing` the message is empty.
    public func receive(from peer: inout PeerID, into message: inout Message) throws(ZeroMQError) -> ReceiveResult {
        checkThread()
        if type != .router { fatalError("Only a router socket tells who sent a message: use receiveWhole(into:).") }
        // On the stack and not zeroed: libzmq copies the name into it, at most 255 bytes.
        let received = withUnsafeTemporaryAllocation(byteCount: PeerID.maximumLength, alignment: 8) { buffer in
            var count: Int32
            repeat {
                count = zmq_recv(handle, buffer.baseAddress, buffer.count, ZMQ_DONTWAIT)
            } while count < 0 && zmq_errno() == EINTR
            guard count >= 0 else { return false }
            peer = PeerID(copying: UnsafeRawBufferPointer(rebasing: buffer[..<min(Int(count), buffer.count)]))
            return true
        }
        guard received else {
            guard zmq_errno() == EAGAIN else { throw .last("receive on a \(type) socket") }
            message.clear()
            return .nothing
        }
        guard try receiveFrame(&message) else {
            throw ZeroMQError(.wrongState, "receive the frame after a routing id, which libzmq delivers together")
        }
        return try checkEnd(of: &message)
    }

    /// Reads the frames after one that should have been the last.
    private func checkEnd(of message: inout Message) throws(ZeroMQError) -> ReceiveResult {
        guard message.more else { return .message }
        var frames = 1
        while message.more, try receiveFrame(&message) { frames += 1 }
        message.clear()
        return .malformed(frames: frames)
    }

    @inline(__always)
    private func receiveFrame(_ message: inout Message) throws(ZeroMQError) -> Bool {
        while zmq_msg_recv(message.raw, handle, ZMQ_DONTWAIT) < 0 {
            switch zmq_errno() {
            case EAGAIN: return false
            case EINTR: continue
            default: throw .last("receive on a \(type) socket")
            }
        }
        return true
    }
}

extension Socket {
    /// Whether a message is waiting.
    ///
    /// - Throws: `terminated` when the context ended.
    public var isReadable: Bool {
        get throws(ZeroMQError) {
            checkThread()
            return try events & ZMQ_POLLIN != 0
        }
    }

    /// The socket's ready events according to libzmq.
    private var events: CInt {
        get throws(ZeroMQError) {
            var events: CInt = 0
            var size = MemoryLayout<CInt>.size
            while zmq_getsockopt(handle, ZMQ_EVENTS, &events, &size) != 0 {
                guard zmq_errno() == EINTR else { throw .last("look at a \(type) socket") }
            }
            return events
        }
    }
}
