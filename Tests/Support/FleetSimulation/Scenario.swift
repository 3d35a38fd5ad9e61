package import MobiusCore
package import MobiusEngine
package import MobiusProgram
package import MobiusTestKit
package import MobiusWire

/// A fleet, what its clients and operators want, and what goes wrong, ready to run in a ``Simulation``.
@dynamicMemberLookup
package struct Scenario<Program: LoopProgram> {
    package typealias Place = FleetPlan<Program>.Place
    package typealias Request = FleetPlan<Program>.Request

    /// The fleet, whose properties are also the scenario's.
    package var fleet: FleetPlan<Program>
    package var requests: [Request]
    /// Requests that are sent after the last fault, to end repeating work.
    package var finalRequests: [Request] = []
    /// A jump of the calendar after the last fault, before the final requests; `nil` for none.
    package var lateJump: Duration?
    /// Requests that are sent at the end, to handlers that never end: more effects than the capacity of all workers.
    package var flood: [Request] = []
    /// The script of a handler for an effect.
    package var handle: (Program.Effect, HandlerCall, inout Chance) -> [HandlerStep<Program.Event>]
    /// Several coordinators of one journal in a database; `nil` for a single one with its own disk.
    package var cluster: ClusterPlan?
    /// The build that a cluster's hosts have before an upgrade; `nil` for the same as afterwards.
    package var earlier: EarlierBuild<Program>?
    /// The builds of the program, one of which traps; `nil` when none does, as always with several coordinators.
    package var traps: TrapPlan?
    /// The number of clients that read, and of those that watch.
    package var readers = 0
    /// Whether operators may retry or drop this effect's dead letter.
    package var mayRequeue: (Program.Effect) -> Bool = { _ in false }
    /// Whether operators pause pools, and resume them.
    package var pausesPools = false
    /// The loops that operators end, and when they first ask for it.
    package var ends: [(loop: LoopID, after: Duration)] = []
    /// What operators may do to a pending effect, and the event that completes it; `nil` for nothing.
    package var act: (Program.Effect, inout Chance) -> (act: EffectAct, event: Program.Event?)? = { _, _ in nil }

    package init(
        routes: EffectRouter<Program.Effect, Program.Event>, places: [Place], requests: [Request],
        timing: SessionTiming, faults: FaultPlan,
        handle: @escaping (Program.Effect, HandlerCall, inout Chance) -> [HandlerStep<Program.Event>]
    ) {
        self.init(
            functions: SingleProgram<Program>(routes), places: places, requests: requests, timing: timing,
            faults: faults, handle: handle)
    }

    package init(
        functions: any ProgramFunctions<Program>, places: [Place], requests: [Request], timing: SessionTiming,
        faults: FaultPlan,
        handle: @escaping (Program.Effect, HandlerCall, inout Chance) -> [HandlerStep<Program.Event>]
    ) {
        fleet = FleetPlan(functions, places: places, timing: timing, faults: faults)
        self.requests = requests
        self.handle = handle
    }

    package subscript<Value>(dynamicMember path: WritableKeyPath<FleetPlan<Program>, Value>) -> Value {
        get { fleet[keyPath: path] }
        set { fleet[keyPath: path] = newValue }
    }
}
