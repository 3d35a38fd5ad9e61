public import Foundation
public import MobiusCore
public import MobiusEngine
import MobiusWire
import Synchronization

/// A whole fleet in the test's own process: a coordinator with its journal, workers with their handlers, and the network
/// between them, in virtual time.
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
/// The coordinator and the workers are those of production, but for sockets and disk, which are simulated: the same
/// decisions, the same messages, byte for byte. The routes are the app's own, and so are the handlers, which really run.
///
/// **Time** passes only while the fleet runs, and then at once: from one thing that happens to the next. It stands still
/// while a handler works, that is until each handler that has begun has ended or sleeps on ``clock``. Handlers take turns
/// on one thread. A `Connectable`, which does not end by itself, is given 200 ms of real time after it has begun
/// and whenever its sleep on the clock ends.
///
/// **Chance** has a seed: how long messages and writes take, and what goes wrong if anything is to. A run with the same seed
/// is the same run, as long as handlers do nothing that differs.
///
/// **Promises** are checked all along, against a record of what really happened: a run in which one is broken throws. Some can
/// only be checked at the end, by ``finish()``.
///
/// It may be used from any task or thread, also from handlers; runs wait for one another.
public final class TestFleet<Program: LoopProgram>: Sendable {
    /// The clock by which the fleet goes, for handlers to sleep on.
    public let clock: FleetClock

    /// What chance comes from.
    public let seed: UInt64

    let realTimeLimit: Duration
    /// Where runs happen, one after the other.
    let queue = DispatchQueue(label: "fleet")
    private let lock = NSLock()
    // Touched with the lock held.
    nonisolated(unsafe) private let world: World<Program>
    nonisolated(unsafe) private let record: FleetRecord<Program>

    /// Makes a fleet in which nothing has happened yet: its coordinator and workers start when it first runs.
    ///
    /// - Parameters:
    ///   - program: The program of its loops.
    ///   - routes: The coordinator's routes; handlers of routes that stay in the process run, too.
    ///   - workers: The worker processes and their handlers.
    ///   - first: Where loops start; `nil` for where the program says.
    ///   - seed: What chance comes from.
    ///   - faults: What goes wrong by chance: ``FleetFaults/none``.
    ///   - date: The calendar at the beginning, which only timers see: 2027-01-15 08:00 UTC.
    ///   - timing: How long coordinator and workers wait for each other: as in production.
    ///   - realTimeLimit: How long a handler may neither end nor sleep on the clock nor do anything that can be seen, by the
    ///     real clock, before a run throws: 10 s.
    ///   - clock: The fleet's clock, when handlers were given one; it must be new.
    public init(
        _ program: Program.Type = Program.self, routes: EffectRouter<Program.Effect, Program.Event>,
        workers: [Workers] = [], startingWith first: First<Program.Model, Program.Effect>? = nil, seed: UInt64 = 1,
        faults: FleetFaults = .none, date: Date = Date(timeIntervalSince1970: 1_800_000_000),
        timing: SessionTiming = SessionTiming(), realTimeLimit: Duration = .seconds(10),
        clock: FleetClock = FleetClock()
    ) {
        precondition(clock.stage.claim(), "A FleetClock belongs to one fleet: make another one for this fleet.")
        self.clock = clock
        self.seed = seed
        self.realTimeLimit = realTimeLimit
        var scenario = Scenario<Program>(
            routes: routes, places: workers.flatMap(\.places), requests: [], timing: timing,
            faults: faults.plan(seed: seed), handle: { _, _, _ in [] })
        scenario.stage = clock.stage
        if let first {
            scenario.first = { first }
        }
        world = World(scenario, seed: seed)
        world.calendarAhead = .seconds(date.timeIntervalSince1970) - (HandlerStage.start - Moment(nanoseconds: 0))
        world.isFaulty = !faults.kinds.isEmpty
        record = FleetRecord(world, pools: workers.flatMap(\.seats))
    }

    /// Calls `body` with the fleet's inside, alone.
    func inside<Result>(_ body: (World<Program>, FleetRecord<Program>) throws -> Result) rethrows -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(world, record)
    }
}
