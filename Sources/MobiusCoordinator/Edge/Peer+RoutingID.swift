import MobiusEngine
import ZeroMQ

extension Peer {
    /// libzmq's own routing ids have 5 bytes; whoever chose a longer one is no worker of ours.
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
        guard let id = PeerID(bytes) else { preconditionFailure("A peer is made of a routing id.") }
        return id
    }
}
