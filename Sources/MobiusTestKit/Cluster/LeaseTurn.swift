import MobiusCore
import MobiusEngine
import MobiusProgram
import MobiusWire

/// The time in which a host runs a shard's loops under one epoch, and its gate: what `LeaseGate` is in production.
final class LeaseTurn<Program: LoopProgram> {
    /// Nothing may be told to anyone now.
    struct Closed: Error {}

    unowned let host: ClusterHost<Program>
    let shard: UInt32
    let epoch: UInt64
    /// The workers that may hold effects, as the owner before knew.
    let heirs: [Incarnation]?
    /// The time until which the gate is open, by the host's clock.
    var until: Moment
    /// Whether the lease is another's now, or the work was given up.
    var isClosed = false
    /// The loops, which the world keeps while they run; `nil` before they are read.
    // Weak, because the process knows its turn, too.
    weak var process: CoordinatorProcess<Program>?
    /// Whether the loops are to end as soon as they have been read.
    var isAskedToEnd = false

    init(_ host: ClusterHost<Program>, shard: UInt32, epoch: UInt64, until: Moment, heirs: [Incarnation]?) {
        self.host = host
        self.shard = shard
        self.heirs = heirs
        self.epoch = epoch
        self.until = until
    }

    var isOpen: Bool { !isClosed && host.moment < until }

    /// The endpoint at which workers and clients reach its loops.
    var endpoint: String { "\(host.number)/\(epoch)" }
}
