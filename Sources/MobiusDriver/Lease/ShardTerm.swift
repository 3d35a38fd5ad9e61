package import MobiusEngine
package import MobiusWire

/// Whether the work of a term may tell anyone anything: while its lease is trusted.
package protocol TermGate: AnyObject {
    /// Opens it until then, unless it is closed.
    func trust(until moment: Moment)
    /// The process ends: the work does not wait for the lease's renewal any more.
    func stopWaiting()
    /// Closes it for good.
    func close()
}

/// A shard that a process has taken under an epoch, to be run until its gate is closed.
package struct ShardTerm<Gate: TermGate> {
    package let shard: UInt32
    package let epoch: UInt64
    /// The newest epoch before it, as far as the database has it; the greatest number when that is not known.
    package let previous: UInt64
    /// The workers that may hold effects, as the owner before knew; `nil` when it did not say.
    package let possibleHolders: [Incarnation]?
    package let gate: Gate

    package init(
        shard: UInt32, epoch: UInt64, previous: UInt64, possibleHolders: [Incarnation]?, gate: Gate
    ) {
        self.shard = shard
        self.epoch = epoch
        self.previous = previous
        self.possibleHolders = possibleHolders
        self.gate = gate
    }
}

extension ShardTerm: Sendable where Gate: Sendable {}
