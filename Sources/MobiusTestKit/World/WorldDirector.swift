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
    func handle(_ answer: ClientAnswer, to request: RequestID) -> Bool
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
