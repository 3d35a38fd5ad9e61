import MobiusCore
import MobiusEngine
import MobiusProgram
import MobiusRuntime
import MobiusTestKit
import MobiusWire
import Synchronization

/// A small program for tests of the kit: errands are run by workers, remembered here, put off and called off.
enum Errands: LoopProgram {
    struct Model: Codable, Sendable, Equatable {
        var done: [String] = []
        var failed: [String: String] = [:]
        var noted: [String] = []
        var rings = 0
    }

    enum Event: Codable, Sendable, Equatable {
        case wanted(String)
        case both(String, String)
        case later(String, seconds: Int)
        case everySecond
        case calledOff(String)
        case ask(Effect)
        case started(String)
        case done(String)
        case failed(String, String)
        case noted(String)
        case rang
    }

    enum Effect: Codable, Sendable, Equatable {
        case run(String)
        /// At most once, and nobody tries again.
        case once(String)
        case note(String)
        case delay(String, seconds: Int)
        case ring
        case callOff(String)
        case watch(String)
        case lost
    }

    static func initiate() -> First<Model, Effect> { First(model: Model()) }

    static func update(_ model: Model, _ event: Event) -> Next<Model, Effect> {
        var model = model
        switch event {
        case .wanted(let name): return .dispatchEffects([.run(name)])
        case .both(let one, let two): return .dispatchEffects([.run(one), .run(two)])
        case .later(let name, let seconds): return .dispatchEffects([.delay(name, seconds: seconds)])
        case .everySecond: return .dispatchEffects([.ring])
        case .calledOff(let name): return .dispatchEffects([.callOff(name)])
        case .ask(let effect): return .dispatchEffects([effect])
        case .started(let name): model.noted.append("started \(name)")
        case .done(let name):
            model.done.append(name)
            return .next(model, effects: [.note(name)])
        case .failed(let name, let reason): model.failed[name] = reason
        case .noted(let name): model.noted.append(name)
        case .rang: model.rings += 1
        }
        return .next(model)
    }

    private static let errand = EffectPolicy(
        timeouts: EffectTimeouts(startToClose: .seconds(60)), retry: RetryPolicy(attempts: 3, initial: .seconds(2)))

    static var routes: EffectRouter<Effect, Event> {
        // In steps, for the compiler's sake.
        let out = EffectRouter<Effect, Event>()
            .routeCase(Effect.run).toWorkers("runners", policy: errand) { name, failure in
                .failed(name, failure.description)
            }
            .routeCase(Effect.once).toWorkers(
                "runners", policy: EffectPolicy(delivery: .atMostOnce, keepsDeadLetters: false)
            ) { name, failure in .failed(name, failure.description) }
            .routeCase(Effect.watch).toWorkers("runners", timeout: nil) { name, failure in
                .failed(name, failure.description)
            }
        return
            out
            .routeCase(Effect.note).toEvent { name in .noted(name) }
            .routeCase(Effect.delay).toTimer {
                .after(.seconds($0.1))
            } onFire: {
                .wanted($0.0)
            }
            .routeEffects(equalTo: .ring).toTimer(.every(.seconds(1))) { _ in .rang }
            .routeCase(Effect.callOff).cancels { name, effect in effect == .run(name) || effect == .watch(name) }
    }

    typealias Work = @Sendable (String, EffectContext) async throws -> Void

    /// A worker's handlers, which do as the test says.
    static func runners(_ work: @escaping Work) -> EffectRouter<Effect, Event> {
        EffectRouter()
            .routeCase(Effect.run).toWork { name, context in
                try await work(name, context)
                return .done(name)
            }
            .routeCase(Effect.once).toWork { name, context in
                try await work(name, context)
                return .done(name)
            }
    }

    static func fleet(
        processes: Int = 1, concurrency: Int = 16, seed: UInt64 = 1, faults: FleetFaults = .none,
        clock: FleetClock = FleetClock(),
        _ work: @escaping Work = { _, _ in }
    ) -> TestFleet<Errands> {
        TestFleet(
            routes: routes,
            workers: [.pool("runners", processes: processes, concurrency: concurrency) { runners(work) }], seed: seed,
            faults: faults, clock: clock)
    }
}

/// What handlers did in the world outside.
final class Deeds: Sendable {
    private let list = Mutex<[String]>([])

    var all: [String] { list.withLock { $0 } }

    func add(_ deed: String) { list.withLock { $0.append(deed) } }
}
