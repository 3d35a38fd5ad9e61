import FleetTestSupport
import MobiusCoordinator
import MobiusCore
import MobiusEngine

/// A pool, and the routes of the drill to it and beside it.
final class PoolFleet: Sendable {
    let pool: WorkerPool<Drill.Effect, Drill.Event>
    /// What local handlers were told.
    let told = Journey<String>()

    init(
        bind: String = "tcp://127.0.0.1:*", timeout: Duration? = .seconds(3600), attempts: Int = 5,
        hanging policy: ExecutionPolicy = .concurrently, maximumPayload: UInt32 = 4 << 20
    ) throws {
        let told = told
        let failed: @Sendable (String, EffectFailure) -> Drill.Event = { .failed("\($0): \($1)") }
        let routes = EffectRouter<Drill.Effect, Drill.Event>()
            .routeCase(Drill.Effect.event)
            .toWorkers("drill", timeout: timeout, attempts: attempts, onFailure: failed)
            .routeCase(Drill.Effect.nothing).toWorkers("drill", timeout: timeout, onFailure: failed)
            .routeCase(Drill.Effect.stream).toWorkers("drill", timeout: timeout) { .failed("\($0): \($1)") }
            .routeCase(Drill.Effect.handler).toWorkers("drill", timeout: timeout, onFailure: failed)
            .routeCase(Drill.Effect.connectable).toWorkers("drill", timeout: timeout, onFailure: failed)
            .routeCase(Drill.Effect.suspending).toWorkers("drill", timeout: timeout, onFailure: failed)
            .routeCase(Drill.Effect.suspendingNothing).executing(.sequentially)
            .toWorkers("drill", timeout: timeout, onFailure: failed)
            .routeCase(Drill.Effect.hang).executing(policy)
            .toWorkers("drill", timeout: timeout, attempts: attempts, onFailure: failed)
            .routeCase(Drill.Effect.unrouted).toWorkers("drill", timeout: timeout) { .failed("\($1)") }
            .routeCase(Drill.Effect.localEvent).toEvent { .answered("local \($0)") }
            .routeCase(Drill.Effect.localSuspending).cancels { words, underWay in underWay == .hang(words) }
            .routeCase(Drill.Effect.tell).to { words, total in told.add("\(total) \(words)") }
        pool = try WorkerPool(
            routes, bind: bind, timing: .quick, maximumPayload: maximumPayload, logger: .errors)
    }

    /// A loop of the drill that runs from now on.
    func loop() -> MobiusLoop<Drill.Model, Drill.Event, Drill.Effect> {
        Mobius.loop(Drill.self, effectHandler: pool).start(from: Drill.Model())
    }

    /// Closes the pool and waits for its end.
    func close() async {
        pool.close()
        await pool.closed()
    }
}

/// One connection to a pool, without a loop.
final class PoolCaller: Sendable {
    let heard = Journey<Drill.Event>()
    let connection: Connection<Drill.Effect>

    init(_ fleet: PoolFleet) {
        connection = fleet.pool.connect { [heard] event in heard.add(event) }
    }

    func ask(_ effects: Drill.Effect...) {
        for effect in effects { connection.accept(effect) }
    }

    /// Waits until it has heard exactly these events, in any order.
    func hears(_ events: Drill.Event...) async throws {
        try await heard.wait(for: "\(events)") { heard in
            heard.count == events.count && events.allSatisfy(heard.contains)
        }
    }

    func hears(_ answers: String...) async throws {
        try await heard.wait(for: "\(answers)") { heard in
            heard.count == answers.count && answers.allSatisfy { heard.contains(.answered($0)) }
        }
    }
}
