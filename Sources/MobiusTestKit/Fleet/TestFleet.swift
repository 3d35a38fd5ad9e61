public import Foundation
public import MobiusCore
public import MobiusEngine
import MobiusProgram
import MobiusWire
import Synchronization

/// A whole fleet in the test's own process: a coordinator with its journal, workers with their handlers, and the
/// network between them, in virtual time.
///
/// ```swift
/// let clock = FleetClock()
/// let fleet = TestFleet(
///     Shop.self, routes: shopRoutes,
///     workers: [.pool("bank", processes: 2) { bankHandlers(clock: clock) }],
///     clock: clock)
///
/// fleet.send(.ordered("tea"))
/// try await fleet.run(for: .seconds(1))
/// fleet.killWorker(in: "bank")
/// try await fleet.runUntilQuiet()
/// #expect(fleet.model == Shop.Model(charged: ["tea"]))
/// try await fleet.finish()
/// ```
/// The coordinator and the workers are those of production: they make the same decisions and exchange the same
/// messages, byte for byte. Only the sockets, the disk and the clocks are simulated. The app's own routes and handlers
/// run.
///
/// **Time** is virtual. It passes only while the fleet runs, and jumps from one occurrence to the next. It stands still
/// while a handler works: until each handler that has started has ended or sleeps on ``clock``. Handlers run one at a
/// time on one thread. A `Connectable`, which does not end by itself, gets 200 ms of real time after its start and
/// after each of its sleeps on the clock.
///
/// **Randomness** comes from a seed: the durations of messages and writes, and the random faults, if any. A run with
/// the same seed is identical as long as the handlers are deterministic.
///
/// **Promises** of the coordinator are checked during the whole run, against a record of what happened in the simulated
/// world. A run throws when a promise is broken. Some promises can be checked only at the end, by ``finish()``.
///
/// It may be used from any task or thread, also from handlers. Concurrent runs are performed one after another.
public final class TestFleet<Program: LoopProgram>: Sendable {
    /// The fleet's virtual clock, for handlers to sleep on.
    public let clock: FleetClock

    /// The seed of all random decisions.
    public let seed: UInt64

    let realTimeLimit: Duration
    /// The queue on which runs are performed, one after another.
    let queue = DispatchQueue(label: "fleet")
    private let lock = NSLock()
    // Accessed with the lock held.
    nonisolated(unsafe) private let world: World<Program>
    nonisolated(unsafe) private let record: FleetRecord<Program>

    /// Creates a fleet, whose coordinator and workers start when it first runs.
    ///
    /// - Parameters:
    ///   - program: The program of all loops.
    ///   - routes: The coordinator's routes. Handlers of routes that stay in the coordinator run, too.
    ///   - workers: The worker processes and their handlers.
    ///   - first: The initial model and effects of each loop; `nil` uses the program's `initiate`.
    ///   - seed: The seed of all random decisions. The default is 1.
    ///   - faults: The random faults. The default is ``FleetFaults/none``.
    ///   - date: The calendar time at the start. Timers and `LoopContext` use it. The default is 2027-01-15 08:00 UTC.
    ///   - timing: The heartbeats and time-outs between coordinator and workers. The default is that of production.
    ///   - realTimeLimit: The real time after which a run throws if a handler works, but neither ends, sleeps on the
    ///     clock nor shows any activity. The default is 10 s.
    ///   - clock: The fleet's clock, if handlers use one. It must not belong to another fleet.
    public convenience init(
        _ program: Program.Type = Program.self, routes: EffectRouter<Program.Effect, Program.Event>,
        workers: [Workers] = [], startingWith first: First<Program.Model, Program.Effect>? = nil, seed: UInt64 = 1,
        faults: FleetFaults = .none, date: Date = Date(timeIntervalSince1970: 1_800_000_000),
        timing: SessionTiming = SessionTiming(), realTimeLimit: Duration = .seconds(10),
        clock: FleetClock = FleetClock()
    ) {
        let functions = first.map { first in SingleProgram<Program>(routes, first: { _ in first }) }
        self.init(
            functions ?? SingleProgram<Program>(routes), workers, seed, faults, date, timing, realTimeLimit, clock)
    }

    init(
        _ functions: any ProgramFunctions<Program>, _ workers: [Workers], _ seed: UInt64, _ faults: FleetFaults,
        _ date: Date, _ timing: SessionTiming, _ realTimeLimit: Duration, _ clock: FleetClock
    ) {
        precondition(clock.stage.claim(), "A FleetClock belongs to one fleet: create another one for this fleet.")
        self.clock = clock
        self.seed = seed
        self.realTimeLimit = realTimeLimit
        var fleet = FleetPlan<Program>(
            functions, places: workers.flatMap(\.places), timing: timing, faults: faults.plan(seed: seed))
        fleet.stage = clock.stage
        world = World(fleet, seed: seed)
        world.checkPurity()
        world.begin()
        world.calendarAhead =
            .seconds(date.timeIntervalSince1970) - (VirtualHandlerExecutor.start - Moment(nanoseconds: 0))
        world.isFaulty = !faults.kinds.isEmpty
        record = FleetRecord(world, pools: workers.flatMap(\.poolsOfPlaces))
    }

    /// Calls `body` with exclusive access to the fleet's state.
    func inside<Result>(_ body: (World<Program>, FleetRecord<Program>) throws -> Result) rethrows -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(world, record)
    }
}
