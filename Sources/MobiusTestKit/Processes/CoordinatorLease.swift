package import MobiusCore
package import MobiusDriver
package import MobiusEngine
package import MobiusWire

/// The lease by which a coordinator process runs the loops of a shard, where several coordinators share a journal.
package protocol CoordinatorLease<Program>: AnyObject {
    associatedtype Program: LoopProgram

    var shard: UInt32 { get }
    /// The workers that may hold effects, as the owner before knew.
    var possibleHolders: [Incarnation]? { get }
    /// The calls of its process to the program.
    var calls: ProgramCalls<Program> { get }
    /// The process that runs the loops.
    var process: CoordinatorProcess<Program>? { get set }

    // MARK: The gate

    /// Whether its process may tell others something.
    var isOpen: Bool { get }
    /// Whether the lease is another's now, or the work was given up.
    var isClosed: Bool { get }
    /// Whether the process waits at its gate before an action.
    func delays(_ action: CoordinatorAction) -> Bool
    /// The process performs an action now, and may be stopped before.
    func performs(_ action: CoordinatorAction)
    /// Checks that the process may tell others something.
    ///
    /// - Throws: an error with which the process ends if it may not.
    func permit() throws
    /// The process, which may just begin, waits at its gate.
    func waits(_ process: CoordinatorProcess<Program>)
    /// The process tells others something, which the simulation checks.
    func tells(_ what: String)

    // MARK: The journal

    /// Whether messages between the process and its journal arrive.
    var reachesJournal: Bool { get }
    /// Calls `body` as soon as messages arrive again.
    func whenReachable(_ body: @escaping () -> Void)
    /// A commit has failed.
    func commitFailed()
    /// The process has read the loops, of which it cannot run some.
    func recovered(held: Int)

    // MARK: The network

    /// Whether no message passes between the process and the workers.
    var isCutFromWorkers: Bool { get }
    /// Returns what takes events to loops of other shards.
    func crossShardSender(_ ports: SimulatedCoordinatorIO<Program>, _ shardSlices: ShardSlices) -> any CrossShardSender
    /// A worker has seen a later epoch.
    func outranked(by epoch: UInt64)

    // MARK: The end

    func kill()
    func stop(for pause: Duration)
    /// Asks the process to stop in order.
    func leave()
    /// The process has ended in order.
    func ended()
    /// The process, which may just begin, cannot go on.
    func gaveUp(_ process: CoordinatorProcess<Program>, _ error: any Error)
}
