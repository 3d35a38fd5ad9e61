import MobiusCore
import MobiusDriver
import MobiusEngine
import MobiusJournal
import MobiusProgram
import MobiusRuntime
import MobiusTestKit
import MobiusWire

/// The time in which a host runs a shard's loops under one epoch, and its gate: what `LeaseGate` is in production.
final class LeaseTerm<Program: LoopProgram>: CoordinatorLease, TermGate {
    /// Nothing may be told to anyone now.
    struct Closed: Error {}

    unowned let host: ClusterHost<Program>
    let shard: UInt32
    let epoch: UInt64
    /// The workers that may hold effects, as the owner before knew.
    var possibleHolders: [Incarnation]?
    /// The time until which the gate is open, by the host's clock.
    var until: Moment
    /// Whether the lease is another's now, or the work was given up.
    var isClosed = false
    /// The loops, which the world keeps while they run; `nil` before they are read.
    // Weak, because the process knows its term, too.
    weak var process: CoordinatorProcess<Program>?
    /// Whether the loops are to end as soon as they have been read.
    var isAskedToEnd = false

    init(_ host: ClusterHost<Program>, shard: UInt32, epoch: UInt64, until: Moment) {
        self.host = host
        self.shard = shard
        self.epoch = epoch
        self.until = until
    }

    var isOpen: Bool { !isClosed && host.moment < until }

    /// The term whose gate it is.
    var term: ShardTerm<LeaseTerm<Program>> {
        ShardTerm(shard: shard, epoch: epoch, previous: .max, possibleHolders: possibleHolders, gate: self)
    }

    func trust(until moment: Moment) {
        guard !isClosed else { return }
        until = moment
        host.later(world.chance.microseconds(0...100)) { [self] in process?.proceed() }
    }

    /// Nothing here: the host ends the process that waits at the gate.
    func stopWaiting() {}

    func close() { isClosed = true }

    /// The endpoint at which workers and clients reach its loops.
    var endpoint: String { "\(host.number)/\(epoch)" }
}

// What its process asks and tells.
extension LeaseTerm {
    private var world: World<Program> { host.world }

    var calls: ProgramCalls<Program> { host.calls }

    func delays(_ action: CoordinatorAction) -> Bool { action.tellsOthers && world.chance.percent(50) }

    func performs(_ action: CoordinatorAction) { host.mayStop(before: action) }

    func permit() throws { if !isOpen { throw Closed() } }

    func waits(_ process: CoordinatorProcess<Program>) { host.waits(process, self) }

    func tells(_ what: String) { host.cluster.tells(what, epoch: epoch) }

    var reachesJournal: Bool { host.reachesDatabase }

    func whenReachable(_ body: @escaping () -> Void) { host.whenReachable(body) }

    func commitFailed() { host.cluster.counts.failedCommits += 1 }

    func recovered(held: Int) { host.cluster.counts.heldLoops += held }

    var isCutFromWorkers: Bool { host.isCutFromWorkers }

    func crossShardSender(_ ports: SimulatedCoordinatorIO<Program>, _ shardSlices: ShardSlices) -> any CrossShardSender
    {
        SimulatedClusterSender(ports, shardSlices, of: self)
    }

    func outranked(by epoch: UInt64) { host.outranked(self, by: epoch) }

    func kill() { host.kill() }

    func stop(for pause: Duration) { host.stop(for: pause) }

    func leave() { host.leave() }

    func ended() { host.finish(self, isFailure: false) }

    func gaveUp(_ process: CoordinatorProcess<Program>, _ error: any Error) { host.gaveUp(process, self, error) }
}
