import CZeroMQ
import Synchronization

/// A frame to send, which is freed unless libzmq took it.
struct OutgoingFrame: ~Copyable {
    /// Up to this size copying is cheaper than keeping: 32 KiB take about 2 µs.
    static let copyLimit = 32 * 1024

    private var raw = zmq_msg_t()

    /// Copies the bytes into libzmq's memory.
    init(copying bytes: UnsafeRawBufferPointer) throws(ZeroMQError) {
        guard zmq_msg_init_size(&raw, bytes.count) == 0 else { throw .last("make a frame of \(bytes.count) bytes") }
        if let start = bytes.baseAddress { zmq_msg_data(&raw).copyMemory(from: start, byteCount: bytes.count) }
    }

    /// Keeps the array until libzmq has written it out, without a copy.
    ///
    /// The array's storage stays where it is while the keeper holds it: a native array of bytes is on the heap, and a
    /// change of another copy of it copies the shared storage first.
    init(keeping bytes: [UInt8], counting load: OutgoingLoad? = nil) throws(ZeroMQError) {
        let keeper = Unmanaged.passRetained(Keeper(bytes, load)).toOpaque()
        let failed = bytes.withUnsafeBytes { buffer in
            zmq_msg_init_data(
                &raw, UnsafeMutableRawPointer(mutating: buffer.baseAddress), buffer.count,
                { _, keeper in
                    // Called on the I/O thread after the last byte was sent, or where the frame is dropped.
                    if let keeper { Unmanaged<Keeper>.fromOpaque(keeper).release() }
                }, keeper) != 0
        }
        if failed {
            Unmanaged<Keeper>.fromOpaque(keeper).release()
            throw .last("make a frame of \(bytes.count) bytes")
        }
    }

    deinit {
        // libzmq leaves an empty frame when it takes one, so closing is always correct.
        var last = raw
        zmq_msg_close(&last)
    }

    /// Returns a negative number and leaves the frame unchanged when libzmq does not take it.
    mutating func send(on socket: UnsafeMutableRawPointer, flags: Int32) -> Int32 {
        zmq_msg_send(&raw, socket, flags)
    }

    private final class Keeper: Sendable {
        let bytes: [UInt8]
        let load: OutgoingLoad?

        init(_ bytes: [UInt8], _ load: OutgoingLoad?) {
            self.bytes = bytes
            self.load = load
            load?.add(bytes.count)
        }

        deinit {
            load?.add(-bytes.count)
        }
    }
}

/// The bytes of frames that libzmq has taken and not yet written out or dropped; readable from any thread.
///
/// libzmq's own limit counts messages, whatever their size.
public final class OutgoingLoad: Sendable {
    private let count = Atomic<Int>(0)
    private let total: OutgoingLoad?

    /// Nothing yet.
    ///
    /// - Parameter total: Another load, such as that of all peers, of which this one is a part.
    public init(partOf total: OutgoingLoad? = nil) {
        self.total = total
    }

    fileprivate func add(_ bytes: Int) {
        count.add(bytes, ordering: .relaxed)
        total?.add(bytes)
    }

    /// The waiting bytes.
    public var bytes: Int { count.load(ordering: .relaxed) }
}
