import Dispatch
import FleetTestSupport
import MobiusCore
import MobiusRuntime
import TestTraits
import Testing

/// How handlers of every kind see that they are cancelled, and that each ends once.
@Suite("A cancelled handler", .patient)
struct CancellationTests {
    typealias Router = RunnerStage.Router

    private let steps = Journey<String>()

    /// Waits for the first step, cancels, and waits for the end; everything answered.
    private func answers(_ router: Router) async throws -> [String] {
        let stage = RunnerStage(router)
        try stage.run(.work("a"))
        try await steps.wait { $0.count == 1 }
        stage.cancel(1)
        try await stage.answers.wait { $0.contains { $0.hasSuffix("end") || $0.contains("failed") } }
        stage.cancel(1)  // a second time does no harm
        return stage.answers.elements
    }

    /// Blocks its thread until its effect is cancelled.
    private static func spin(_ context: EffectContext?) -> Bool {
        let end = ContinuousClock.now + Patience.limit
        while let context, !context.isCancelled, ContinuousClock.now < end {}
        return context?.isCancelled == true
    }

    @Test func `a plain closure that asks sees it, and its event counts`() async throws {
        let router = Router().routeCase(RunnerStage.Effect.work).toEvent { [steps] _ in
            steps.add("begun")
            return Self.spin(EffectContext.current) ? "stopped" : "nobody came"
        }
        #expect(try await answers(router) == ["1: stopped, end"])
    }

    @Test func `a plain closure may throw out of the middle`() async throws {
        let router = Router().routeCase(RunnerStage.Effect.work).to { [steps] _ in
            steps.add("begun")
            do {
                while true { try EffectContext.current?.checkCancellation() }
            } catch {
                steps.add("\(type(of: error))")
            }
        }
        #expect(try await answers(router) == ["1: end"])
        #expect(steps.elements == ["begun", "CancellationError"])
    }

    @Test func `an effect handler is disposed of, may say a last word, and has ended`() async throws {
        let router = Router().routeCase(RunnerStage.Effect.work).to {
            [steps] (_: String, callback) -> any Disposable in
            let context = EffectContext.current
            steps.add("begun")
            return AnonymousDisposable { callback.send("cancelled: \(context?.isCancelled == true)") }
        }
        #expect(try await answers(router) == ["1: cancelled: true", "1: end"])
    }

    @Test(arguments: [ExecutionPolicy.concurrently, .sequentially, .cancelPrevious])
    func `an effect handler that keeps no callback is under way until it is disposed of`(
        policy: ExecutionPolicy
    ) async throws {
        let router = Router()
            .routeCase(RunnerStage.Effect.work).executing(policy).to { [steps] (_: String, _) -> any Disposable in
                steps.add("begun")
                return AnonymousDisposable { steps.add("stopped") }
            }
            .routeCase(RunnerStage.Effect.stop).toEvent { $0 }
        let stage = RunnerStage(router)
        try stage.run(.work("a"))
        try await steps.wait { $0.count == 1 }
        // Had the first ended by itself, its end would have come before the answer of an effect that follows it.
        try stage.run(.stop("b"), from: 2)
        try await stage.answers.wait { $0.contains("2: b, end") }
        #expect(stage.answers.elements == ["2: b, end"])
        stage.cancel(1)
        try await stage.answers.wait { $0.count == 2 }
        #expect(stage.answers.elements == ["2: b, end", "1: end"])
        #expect(steps.elements == ["begun", "stopped"])
    }

    @Test func `an async closure's task is cancelled, with its children`() async throws {
        let router = Router().routeCase(RunnerStage.Effect.work).to { [steps] _ async in
            let context = EffectContext.current
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    steps.add("begun")
                    try? await Task.sleep(for: .seconds(600))
                    steps.add("child: \(Task.isCancelled) \(EffectContext.current?.isCancelled == true)")
                }
            }
            steps.add("task: \(Task.isCancelled) \(context?.isCancelled == true)")
        }
        #expect(try await answers(router) == ["1: end"])
        #expect(steps.elements == ["begun", "child: true true", "task: true true"])
    }

    @Test func `a connectable is disconnected`() async throws {
        let router = Router().routeCase(RunnerStage.Effect.work).to(Ticker(steps: steps))
        #expect(try await answers(router) == ["1: tick", "1: last", "1: end"])
        #expect(steps.elements == ["begun", "cancelled: true"])
    }

    private struct Ticker: Connectable {
        let steps: Journey<String>

        func connect(_ consumer: @escaping Consumer<String>) -> Connection<String> {
            let context = EffectContext.current
            return Connection(
                acceptClosure: { [steps] _ in
                    consumer("tick")
                    steps.add("begun")
                },
                disposeClosure: { [steps] in
                    steps.add("cancelled: \(context?.isCancelled == true)")
                    consumer("last")
                })
        }
    }

    @Test func `one that still begins is stopped once it has begun`() async throws {
        let gate = DispatchSemaphore(value: 0)
        let router = Router().routeCase(RunnerStage.Effect.work).to {
            [steps] (_: String, callback) -> any Disposable in
            steps.add("begun")
            guard gate.waitPatiently() else { return EmptyDisposable() }
            callback.send("still begins")
            return AnonymousDisposable { callback.send("disposed") }
        }
        let stage = RunnerStage(router)
        try stage.run(.work("a"))
        try await steps.wait { $0.count == 1 }
        stage.cancel(1)
        gate.signal()
        try await stage.answers.wait { $0.count == 3 }
        #expect(stage.answers.elements == ["1: still begins", "1: disposed", "1: end"])
    }

    @Test(arguments: [ExecutionPolicy.sequentially, .concurrently(limit: 2), .cancelPrevious])
    func `policies let a cancelled handler say how it ended`(policy: ExecutionPolicy) async throws {
        let router = Router().routeCase(RunnerStage.Effect.work).executing(policy).toEvent { [steps] _ in
            steps.add("begun")
            return Self.spin(EffectContext.current) ? "stopped" : "nobody came"
        }
        #expect(try await answers(router) == ["1: stopped, end"])
    }

    @Test func `under a policy, too, an effect handler may say a last word`() async throws {
        let router = Router().routeCase(RunnerStage.Effect.work).executing(.sequentially).to {
            [steps] (_: String, callback) -> any Disposable in
            steps.add("begun")
            return AnonymousDisposable { callback.send("disposed") }
        }
        #expect(try await answers(router) == ["1: disposed", "1: end"])
    }

    @Test func `a route that cancels shows it to a plain closure`() async throws {
        let router = Router()
            .routeCase(RunnerStage.Effect.work).toEvent { [steps] _ in
                steps.add("begun")
                steps.add("cancelled: \(Self.spin(EffectContext.current))")
                return "late"
            }
            .routeCase(RunnerStage.Effect.stop).cancels { word, effect in effect == .work(word) }
        let stage = RunnerStage(router)
        try stage.run(.work("a"))
        try await steps.wait { $0.count == 1 }
        try stage.run(.stop("a"), from: 2)
        try await steps.wait { $0.contains("cancelled: true") }
        try await stage.answers.wait { $0.count == 2 }
        #expect(Set(stage.answers.elements) == ["1: end", "2: end"])
    }

    @Test func `the end shows it to what the handler left behind`() async throws {
        let contexts = Journey<EffectContext?>()
        let router = Router().routeCase(RunnerStage.Effect.work).toEvent { word in
            contexts.add(EffectContext.current)
            return EffectContext.current?.isCancelled == false ? word : nil
        }
        let stage = RunnerStage(router)
        try stage.run(.work("a"))
        try await stage.answers.wait { $0 == ["1: a, end"] }
        #expect(contexts.elements[0]?.isCancelled == true)
    }
}
