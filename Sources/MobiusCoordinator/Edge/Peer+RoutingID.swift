import MobiusEngine
import MobiusTransport

extension Peer {
    /// Makes a peer of a routing id of 1 to 7 bytes; `nil` for a longer one.
    ///
    /// The routing ids that libzmq assigns have 5 bytes. Workers do not choose their own.
    init?(_ id: PeerID) {
        guard (1...7).contains(id.count) else { return nil }
        self.init(id.withUnsafeBytes { bytes in bytes.reduce(UInt64(bytes.count)) { $0 << 8 | UInt64($1) } })
    }

    var routingID: PeerID {
        var bytes: [UInt8] = []
        var rest = token
        while rest > 7 {
            bytes.insert(UInt8(truncatingIfNeeded: rest), at: 0)
            rest >>= 8
        }
        guard let id = PeerID(bytes) else { preconditionFailure("A peer is always made from a routing id.") }
        return id
    }
}
