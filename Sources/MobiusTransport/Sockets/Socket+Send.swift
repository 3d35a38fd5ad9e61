import CZeroMQ

/// The result of sending.
public enum SendResult: Sendable, Hashable {
    /// libzmq took it. It may still be lost: only the peer's answer proves that it arrived.
    case sent
    /// Every queue for it is full, or no peer is connected. Nothing was taken; try again when writable.
    case wouldBlock
    /// A ROUTER does not know the peer, because it never connected or has disconnected. Nothing was taken.
    case unreachable
}

// MARK: - One frame

extension Socket {
    /// Sends a frame, or reports that it would have to wait; never waits.
    ///
    /// - Parameters:
    ///   - bytes: the frame.
    ///   - more: whether more frames of this message follow. Once the first frame was taken, libzmq takes the rest, so a
    ///     whole message either goes or does not.
    /// - Throws: anything except a full queue and an unknown peer; `terminated` when the context ended.
    public func send(_ bytes: UnsafeRawBufferPointer, more: Bool = false) throws(ZeroMQError) -> SendResult {
        checkThread()
        let flags = more ? ZMQ_DONTWAIT | ZMQ_SNDMORE : ZMQ_DONTWAIT
        while zmq_send(handle, bytes.baseAddress, bytes.count, flags) < 0 {
            if let result = try refusal() { return result }
        }
        return .sent
    }

    /// Sends a frame from its memory; otherwise as for a buffer pointer.
    public func send(_ bytes: RawSpan, more: Bool = false) throws(ZeroMQError) -> SendResult {
        try bytes.withUnsafeBytes { (buffer) throws(ZeroMQError) in try send(buffer, more: more) }
    }

    /// Sends a frame; one above 32 KiB is not copied, but kept until libzmq has written it out.
    public func send(_ bytes: [UInt8], more: Bool = false) throws(ZeroMQError) -> SendResult {
        checkThread()
        guard bytes.count > OutgoingFrame.copyLimit else {
            return try send(bytes.span.bytes, more: more)
        }
        var frame = try OutgoingFrame(keeping: bytes)
        return try send(&frame, flags: more ? ZMQ_DONTWAIT | ZMQ_SNDMORE : ZMQ_DONTWAIT)
    }

    private func send(_ frame: inout OutgoingFrame, flags: Int32) throws(ZeroMQError) -> SendResult {
        while frame.send(on: handle, flags: flags) < 0 {
            if let result = try refusal() { return result }
        }
        return .sent
    }

    /// Returns the reason why libzmq did not take a frame; `nil` if a signal interrupted the call, which must be
    /// repeated.
    private func refusal() throws(ZeroMQError) -> SendResult? {
        switch zmq_errno() {
        case EAGAIN: return .wouldBlock
        case EHOSTUNREACH: return .unreachable
        case EINTR: return nil
        default: throw .last("send on a \(type) socket")
        }
    }
}

// MARK: - To one peer of a ROUTER

extension Socket {
    /// Sends a message of one frame to one peer of a ROUTER; never waits, and sends all of it or nothing.
    ///
    /// `.wouldBlock` means that this peer's queue is full; other peers may still take messages. Without
    /// ``SocketOption/routerMandatory`` libzmq drops what it cannot deliver and this returns `.sent`.
    ///
    /// - Throws: anything except a full queue and an unknown peer; `terminated` when the context ended.
    public func send(to peer: PeerID, _ bytes: UnsafeRawBufferPointer) throws(ZeroMQError) -> SendResult {
        checkThread()
        // Before the peer's name, so that running out of memory cannot leave half a message behind.
        var frame = try OutgoingFrame(copying: bytes)
        return try send(to: peer, &frame)
    }

    /// Sends a message of one frame from its memory to one peer; otherwise as for a buffer pointer.
    public func send(to peer: PeerID, _ bytes: RawSpan) throws(ZeroMQError) -> SendResult {
        try bytes.withUnsafeBytes { (buffer) throws(ZeroMQError) in try send(to: peer, buffer) }
    }

    /// Sends a message of one frame to one peer; one above 32 KiB is not copied, but kept until it is written out.
    ///
    /// - Parameters:
    ///   - peer: the receiver.
    ///   - bytes: the message.
    ///   - load: counts its bytes until then.
    public func send(
        to peer: PeerID, _ bytes: [UInt8], counting load: OutgoingLoad? = nil
    ) throws(ZeroMQError) -> SendResult {
        checkThread()
        guard bytes.count > OutgoingFrame.copyLimit || load != nil else {
            return try send(to: peer, bytes.span.bytes)
        }
        var frame = try OutgoingFrame(keeping: bytes, counting: load)
        return try send(to: peer, &frame)
    }

    private func send(to peer: PeerID, _ frame: inout OutgoingFrame) throws(ZeroMQError) -> SendResult {
        if type != .router { fatalError("Only a router socket sends to a chosen peer: use send(_:more:) here.") }
        while peer.withUnsafeBytes({ zmq_send(handle, $0.baseAddress, $0.count, ZMQ_DONTWAIT | ZMQ_SNDMORE) }) < 0 {
            if let result = try refusal() { return result }
        }
        return try send(&frame, flags: ZMQ_DONTWAIT)
    }
}
