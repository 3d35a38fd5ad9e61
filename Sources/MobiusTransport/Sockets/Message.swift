import CZeroMQ

/// One received frame, accessed in libzmq's memory.
///
/// Reuse one message for all receives: then only libzmq allocates per message.
public struct Message: ~Copyable, @unchecked Sendable {
    // @unchecked Sendable although it holds a pointer: it is the only owner of the frame, cannot be copied, and libzmq
    // counts the references to shared memory atomically, so it may be handed to another thread.

    // On the heap, because libzmq stores short frames inside it, and lending them needs a stable address.
    let raw: UnsafeMutablePointer<zmq_msg_t>

    /// Makes an empty frame to receive into.
    public init() {
        raw = .allocate(capacity: 1)
        zmq_msg_init(raw)
    }

    deinit {
        zmq_msg_close(raw)
        raw.deallocate()
    }

    /// Its size in bytes.
    public var count: Int { zmq_msg_size(raw) }

    /// Whether more frames of the same message follow.
    public var more: Bool { zmq_msg_more(raw) != 0 }

    /// Lends its bytes in place, without a copy, for the time of the call.
    public func withBytes<Result, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(RawSpan(_unsafeStart: UnsafeRawPointer(start), byteCount: count))
    }

    /// Lends its bytes in place, without a copy, for the time of the call; for code that needs a pointer.
    public func withUnsafeBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(UnsafeRawBufferPointer(start: start, count: count))
    }

    /// A copy of its bytes.
    public var array: [UInt8] { withUnsafeBytes { Array($0) } }

    /// Releases the bytes; afterwards it is empty.
    public mutating func clear() {
        zmq_msg_close(raw)
        zmq_msg_init(raw)
    }

    /// A property of the connection on which the frame was received.
    ///
    /// - Parameter name: `Peer-Address`, `User-Id` (as the ZAP handler answered), or a property the peer announced.
    /// - Returns: `nil` when there is no such property.
    public func property(_ name: String) -> String? {
        zmq_msg_gets(raw, name).map { String(cString: $0) }
    }

    /// The descriptor of the connection on which the frame was received, `nil` without one, as for `inproc`.
    ///
    /// libzmq owns it and may have closed it: use it only for a ``SocketConnection``, or to distinguish connections.
    public var descriptor: CInt? {
        let descriptor = zmq_msg_get(raw, ZMQ_SRCFD)
        return descriptor > 0 ? descriptor : nil
    }

    private var start: UnsafeMutableRawPointer {
        guard let data = zmq_msg_data(raw) else { fatalError("libzmq has no data for a message it received.") }
        return data
    }
}
