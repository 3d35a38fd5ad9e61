package import MobiusCore
package import MobiusDriver
package import MobiusEngine
package import MobiusWire

/// The simulation of which a world is a part, if it has more in it than one fleet: several coordinators, clients that read,
/// operators, builds of the program that trap, scripted handlers.
///
/// A ``TestFleet`` has none.
package protocol WorldDirector<Program>: AnyObject {
    associatedtype Program: LoopProgram

    // MARK: Processes

    /// Returns the handlers of the effects that stay in a coordinator process.
    func localHandlers(of process: String) -> any SimulatedHandlers
    /// Returns the handlers of a worker process.
    func handlers(of worker: WorkerProcess<Program>) -> any SimulatedWorkerHandlers
    /// Returns the breadcrumbs of a coordinator process, by which the next one finds out whether the program has trapped in it,
    /// and the name of its build; `nil` if no program traps.
    func breadcrumbs(on disk: Disk, epoch: UInt64) -> (any Breadcrumbs, build: String)?
    /// A coordinator process that begins has recovered the loops.
    ///
    /// - Throws: ``EndedAtStart`` if it has ended by that.
    func recovered(from disk: Disk, _ breadcrumbs: (any Breadcrumbs)?) throws
    /// A coordinator process has been made, and begins.
    func begins(_ process: CoordinatorProcess<Program>)
    /// A coordinator process has ended.
    func removed(_ process: CoordinatorProcess<Program>)
    /// A coordinator process takes a step now.
    ///
    /// - Returns: a function to call with the actions that the step led to.
    func takes(
        _ step: CoordinatorDriver.Step, _ process: CoordinatorProcess<Program>
    ) -> (_ actions: [CoordinatorAction]) -> Void

    // MARK: Clients

    /// Returns the coordinator process that a client of a loop calls.
    func contact(of loop: LoopID) -> CoordinatorProcess<Program>?
    /// Handles the answer to a request.
    ///
    /// - Returns: `false` if the request is none of the simulation's.
    func take(_ answer: ClientAnswer, to request: RequestID) -> Bool
    /// Whether a loop may be held.
    func mayBeHeld(_ loop: LoopID) -> Bool
    /// Whether an operator has dropped the event that a client sent under a key.
    func hasDropped(_ key: String, of loop: LoopID) -> Bool

    // MARK: Faults

    /// Makes a trouble of its own instead of one of the fault plan, by chance.
    ///
    /// - Returns: whether it made one.
    func makeTrouble() -> Bool
    /// Makes a trouble that only simulations have.
    func make(_ trouble: Trouble)
    /// Repairs its own faults; no more are injected.
    func recover()
}

/// A coordinator process has ended before it had begun, and another one follows.
package struct EndedAtStart: Error {
    package init() {}
}

/// The lease by which a coordinator process runs the loops of a shard, where several coordinators share a journal.
package protocol CoordinatorLease<Program>: AnyObject {
    associatedtype Program: LoopProgram

    var shard: UInt32 { get }
    /// The workers that may hold effects, as the owner before knew.
    var heirs: [Incarnation]? { get }
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
    func courier(_ ports: SimulatedCoordinatorIO<Program>, _ territory: Territory) -> any LoopCourier
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

/// The record of which process calls the program.
package final class ProgramCallers {
    /// The breadcrumbs of the process that does; `nil` while the world itself calls it, and where no program traps.
    package private(set) var running: (any Breadcrumbs)?

    /// Runs `body` as a step of the process with these breadcrumbs; with `nil`, as one of the world.
    package func run<Result, Failure>(
        _ breadcrumbs: (any Breadcrumbs)?, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let before = running
        running = breadcrumbs
        defer { running = before }
        return try body()
    }
}
