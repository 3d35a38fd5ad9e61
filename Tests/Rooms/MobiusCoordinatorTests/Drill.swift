import FleetTestSupport
import Foundation
import Logging
import MobiusCoordinator
import MobiusCore
import MobiusEngine
import MobiusWorker

/// A loop that asks for whatever its events say, and tells a local route of every answer.
enum Drill: InPlaceLoopProgram {
    struct Model: Codable, Sendable, Equatable {
        var answers: [String] = []
    }

    enum Event: Codable, Sendable, Equatable {
        case ask(Effect)
        case answered(String)
        case failed(String)
    }

    indirect enum Effect: Codable, Sendable, Equatable {
        case event(String)
        case nothing(String)
        case stream(String, count: Int)
        case handler(String)
        case connectable(String)
        case suspending(String)
        case suspendingNothing(String)
        case hang(String)
        case unrouted
        case localEvent(String)
        case localSuspending(String)
        case tell(String, total: Int)
    }

    static func initiate() -> First<Model, Effect> { First(model: Model()) }

    static func update(_ model: inout Model, _ event: Event) -> Change<Effect> {
        switch event {
        case .ask(let effect): return .dispatchEffects([effect])
        case .answered(let answer): model.answers.append(answer)
        case .failed(let reason): model.answers.append("failed: \(reason)")
        }
        return .next(effects: [.tell(model.answers.last ?? "", total: model.answers.count)])
    }
}

/// A coordinator and workers in this process, joined by real sockets.
final class Fleet: Sendable {
    let told = Journey<String>()
    let done = Journey<String>()
    let coordinator: Coordinator<Drill>
    let listening = Journey<String>()
    private let running: Task<Void, any Error>

    init(
        journal: CoordinatorSettings.Journal = .none, bind: String = "tcp://127.0.0.1:*",
        timeout: Duration = .seconds(3600),
        timing: SessionTiming = .quick
    ) {
        let (told, listening) = (told, listening)
        let routes = EffectRouter<Drill.Effect, Drill.Event>()
            .routeCase(Drill.Effect.event).toWorkers("drill", timeout: timeout) { .failed("\($0): \($1)") }
            .routeCase(Drill.Effect.nothing).toWorkers("drill", timeout: timeout) { .failed("\($0): \($1)") }
            .routeCase(Drill.Effect.stream).toWorkers("drill", timeout: timeout) { .failed("\($0): \($1)") }
            .routeCase(Drill.Effect.handler).toWorkers("drill", timeout: timeout) { .failed("\($0): \($1)") }
            .routeCase(Drill.Effect.connectable).toWorkers("drill", timeout: timeout) { .failed("\($0): \($1)") }
            .routeCase(Drill.Effect.suspending).toWorkers("drill", timeout: timeout) { .failed("\($0): \($1)") }
            .routeCase(Drill.Effect.suspendingNothing).toWorkers("drill", timeout: timeout) { .failed("\($0): \($1)") }
            .routeCase(Drill.Effect.hang).toWorkers("drill", timeout: timeout) { .failed("\($0): \($1)") }
            .routeCase(Drill.Effect.unrouted).toWorkers("drill", timeout: timeout) { .failed("\($1)") }
            .routeCase(Drill.Effect.localEvent).toEvent { .answered("local \($0)") }
            .routeCase(Drill.Effect.localSuspending).toEvent { words async in
                await Task.yield()
                return .answered("local async \(words)")
            }
            .routeCase(Drill.Effect.tell).to { words, total in told.add("\(total) \(words)") }
        let settings = CoordinatorSettings(name: "drill", bind: bind, journal: journal, timing: timing)
        let coordinator = Coordinator<Drill>(
            settings, routes: routes, logger: .quiet, onListening: { listening.add($0) })
        self.coordinator = coordinator
        running = Task(executorPreference: TaskThread()) { try await coordinator.run() }
    }

    deinit {
        running.cancel()
    }

    func endpoint() async throws -> String {
        try await listening.wait(for: "the endpoint") { !$0.isEmpty }
        return listening.elements[0]
    }

    func ask(_ effects: Drill.Effect...) async throws {
        for effect in effects { try await coordinator.loop.send(.ask(effect)) }
    }

    /// Waits until the loop has told of all these answers, in any order.
    func hears(_ answers: String...) async throws {
        try await told.wait(for: "\(answers)") { told in
            answers.allSatisfy { answer in told.contains { $0.hasSuffix(answer) } }
        }
    }

    func stop() async throws {
        coordinator.stop()
        try await running.value
    }

    /// Waits for the coordinator's end and returns its error, if any.
    func failure() async -> (any Error)? {
        do {
            try await running.value
            return nil
        } catch {
            return error
        }
    }
}

/// A worker of the pool `drill`, with handlers of every kind.
final class DrillWorker: Sendable {
    let ran = Journey<String>()
    private let worker: Worker<Drill.Effect, Drill.Event>
    private let running: Task<Void, any Error>

    init(_ endpoint: String, concurrency: Int = 8, drainTimeout: Duration = .seconds(20), logger: Logger = .quiet) {
        let ran = ran
        let router = EffectRouter<Drill.Effect, Drill.Event>()
            .routeCase(Drill.Effect.event).toEvent { words in
                ran.add(words)
                return .answered("event \(words)")
            }
            .routeCase(Drill.Effect.nothing).to { words in ran.add("nothing \(words)") }
            .routeCase(Drill.Effect.stream).to {
                (asked: (String, Int), callback: EffectCallback<Drill.Event>) -> any Disposable in
                for number in 1...asked.1 { callback.send(.answered("stream \(asked.0) \(number)")) }
                callback.end()
                return EmptyDisposable()
            }
            .routeCase(Drill.Effect.handler).to(Echo())
            .routeCase(Drill.Effect.connectable).to(Ticker(ran: ran))
            .routeCase(Drill.Effect.suspending).toEvent { words async in
                await Task.yield()
                return .answered("async \(words)")
            }
            .routeCase(Drill.Effect.suspendingNothing).to { words async in
                await Task.yield()
                ran.add("async nothing \(words)")
            }
            // A queue of its own: one that is cancelled before it gets one of the shared threads never begins.
            .routeCase(Drill.Effect.hang).on(queue: DispatchQueue(label: "drill")).toEvent { words async in
                ran.add("hanging \(words)")
                do {
                    try await Task.sleep(for: .seconds(600))
                    return nil
                } catch {
                    ran.add("cancelled \(words)")
                    return nil
                }
            }
        var settings = WorkerSettings(
            pools: ["drill"], connect: endpoint, concurrency: concurrency, drainTimeout: drainTimeout,
            timing: .quick)
        settings.name = "drill"
        let worker = Worker(
            settings,
            handler: router, logger: logger)
        self.worker = worker
        running = Task(executorPreference: TaskThread()) { try await worker.run() }
    }

    deinit {
        running.cancel()
    }

    /// Drains it and waits for its end.
    func leave() async throws {
        worker.drain()
        try await running.value
    }
}

private struct Echo: EffectHandler {
    func handle(_ words: String, _ callback: EffectCallback<Drill.Event>) -> any Disposable {
        callback.end(with: .answered("handler \(words)"))
        return EmptyDisposable()
    }
}

/// Answers at once and never ends by itself.
private struct Ticker: Connectable {
    let ran: Journey<String>

    func connect(_ consumer: @escaping Consumer<Drill.Event>) -> Connection<String> {
        Connection(
            acceptClosure: { words in consumer(.answered("connectable \(words)")) },
            disposeClosure: { [ran] in ran.add("connectable disposed") })
    }
}

extension SessionTiming {
    /// The product's timing, a few times faster.
    static let quick = SessionTiming(
        heartbeat: .milliseconds(200), suspectAfter: .milliseconds(800), deadAfter: .seconds(3),
        reconnectGrace: .seconds(1), adoptionGrace: .seconds(1), silence: .seconds(2), resend: .milliseconds(500))
}

extension Logger {
    /// A logger that says nothing.
    static var quiet: Logger { Logger(label: "test") { _ in SwiftLogNoOpLogHandler() } }

    /// A logger that says what should not happen.
    static var errors: Logger {
        var logger = Logger(label: "test") { label in StreamLogHandler.standardError(label: label) }
        logger.logLevel = .error
        return logger
    }
}
