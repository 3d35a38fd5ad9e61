import FleetTestSupport
import Foundation
import MobiusCore
import MobiusProgram
import MobiusRuntime
import MobiusWire
import TestTraits
import Testing

/// Policies and routes that cancel, among the attempts of one process.
@Suite("An effect runner keeps policies", .patient)
struct EffectRunnerPolicyTests {
    enum Effect: Codable, Sendable, Equatable {
        case work(Int)
        case block(Int)
        case cancel(Int)
    }

    typealias Event = String
    typealias Router = EffectRouter<Effect, Event>

    private let outcomes = Journey<HandlerOutcome>()
    private let begun = Journey<Int>()
    private let callbacks = Journey<EffectCallback<Event>>()
    private let stopped = Journey<Int>()

    /// A route to handlers that end when the test says so.
    private func route(_ router: Router, _ policy: ExecutionPolicy) -> Router {
        router.routeCase(Effect.work).executing(policy).to { [begun, callbacks, stopped] number, callback in
            callbacks.add(callback)
            begun.add(number)
            return AnonymousDisposable { stopped.add(number) }
        }
    }

    private func runner(_ router: Router, limit: Int = 1) -> EffectRunner {
        EffectRunner(router, threads: HandlerThreads(name: "test", limit: limit)) { [outcomes] in outcomes.add($0) }
    }

    private func attempt(_ number: Int) -> AttemptID {
        AttemptID(
            effect: EffectID(loop: .main, sequence: UInt64(number), index: 0), attempt: Attempt(epoch: 1, number: 1))
    }

    private func run(_ effects: [Effect], from first: Int = 1, by runner: EffectRunner) throws {
        runner.run(
            try effects.enumerated().map { index, effect in
                (attempt(first + index), try TypedCodec<Effect>.json().encode(effect))
            })
    }

    /// What was reported, as words: `1: "event"`, `1: end`.
    private var reports: [String] {
        get throws { try outcomes.elements.map(describe) }
    }

    private func describe(_ outcome: HandlerOutcome) throws -> String {
        switch outcome {
        case .report(let id, let event, let final):
            let text = try event.map { try TypedCodec<Event>.json().decode($0) }
            return "\(id.effect.sequence): \(text ?? "nothing")\(final ? ", end" : "")"
        case .failed(let id, let reason): return "\(id.effect.sequence): \(reason)"
        }
    }

    @Test("one at a time, in order, although threads are free")
    func sequentially() async throws {
        let runner = runner(route(Router(), .sequentially), limit: 4)
        for number in 1...3 { try run([.work(number)], from: number, by: runner) }
        try await begun.wait { $0.count == 1 }
        let first = begun.elements[0]
        callbacks.elements[0].end(with: "a")
        try await begun.wait { $0.count == 2 }
        callbacks.elements[1].end(with: "b")
        try await begun.wait { $0.count == 3 }
        callbacks.elements[2].end()
        try await outcomes.wait { $0.count == 3 }
        #expect(Set(begun.elements) == [1, 2, 3])
        #expect(try reports[0] == "\(first): a, end")
        #expect(try reports[2].hasSuffix(": nothing, end"))
    }

    @Test("plain closures, too: as many at a time as the limit says")
    func limited() async throws {
        let counts = Journey<Int>()
        let gate = DispatchSemaphore(value: 0)
        let router = Router().routeCase(Effect.block).executing(.concurrently(limit: 2)).toEvent { number in
            counts.add(number)
            guard gate.waitPatiently() else { return "nobody came" }
            return "\(number)"
        }
        let runner = runner(router, limit: 4)
        try run((1...4).map { .block($0) }, by: runner)
        try await counts.wait { $0.count == 2 }
        gate.signal()
        try await counts.wait { $0.count == 3 }
        #expect(outcomes.elements.count == 1)
        for _ in 0..<3 { gate.signal() }
        try await outcomes.wait { $0.count == 4 }
        #expect(try Set(reports) == ["1: 1, end", "2: 2, end", "3: 3, end", "4: 4, end"])
    }

    @Test("the newest ends the one before without an event")
    func cancelPrevious() async throws {
        let runner = runner(route(Router(), .cancelPrevious))
        try run([.work(1)], by: runner)
        try await begun.wait { $0.count == 1 }
        callbacks.elements[0].send("early")
        try run([.work(2)], from: 2, by: runner)
        try await begun.wait { $0.count == 2 }
        try await stopped.wait { $0 == [1] }
        callbacks.elements[0].end(with: "late")
        callbacks.elements[1].end(with: "b")
        try await outcomes.wait { $0.count == 3 }
        #expect(try reports == ["1: early", "1: nothing, end", "2: b, end"])
        #expect(stopped.elements == [1])
    }

    @Test("a route that cancels ends those it means, and itself, without an event")
    func cancels() async throws {
        let router = route(Router(), .concurrently)
            .routeCase(Effect.cancel).cancels { number, effect in effect == .work(number) }
        let runner = runner(router)
        try run([.work(1), .work(2), .cancel(2)], by: runner)
        try await outcomes.wait { $0.count == 2 }
        #expect(try reports == ["2: nothing, end", "3: nothing, end"])
        try await stopped.wait { $0 == [2] }
        callbacks.elements[1].end(with: "late")
        callbacks.elements[0].end(with: "a")
        #expect(try reports == ["2: nothing, end", "3: nothing, end", "1: a, end"])
    }

    @Test("a plain closure that was cancelled while it ran says nothing")
    func cancelledWhileItRan() async throws {
        let gate = DispatchSemaphore(value: 0)
        let (begun, ended) = (begun, Journey<Int>())
        let router = Router()
            .routeCase(Effect.block).toEvent { number in
                begun.add(number)
                guard gate.waitPatiently() else { return "nobody came" }
                ended.add(number)
                return "late"
            }
            .routeCase(Effect.cancel).cancels { number, effect in effect == .block(number) }
        let runner = runner(router, limit: 2)
        try run([.block(1)], by: runner)
        try await begun.wait { $0.count == 1 }
        try run([.cancel(1)], from: 2, by: runner)
        try await outcomes.wait { $0.count == 2 }
        gate.signal()
        try await ended.wait { $0.count == 1 }
        #expect(try reports == ["1: nothing, end", "2: nothing, end"])
    }

    @Test("an attempt that is cancelled while it waits for its turn never begins, and is over at once")
    func cancelledInTheQueue() async throws {
        let runner = runner(route(Router(), .sequentially))
        try run([.work(1), .work(2), .work(3)], by: runner)
        try await begun.wait { $0.count == 1 }
        runner.cancel(attempt(2))
        try await outcomes.wait { $0.count == 1 }
        #expect(try reports == ["2: nothing, end"])
        callbacks.elements[0].end()
        try await begun.wait { $0.count == 2 }
        #expect(begun.elements == [1, 3])
        // One that runs gives its place to the next.
        try run([.work(4)], from: 4, by: runner)
        runner.cancel(attempt(3))
        try await begun.wait { $0.count == 3 }
        #expect(begun.elements == [1, 3, 4])
        #expect(try reports == ["2: nothing, end", "1: nothing, end", "3: nothing, end"])
    }

    @Test("after all were stopped nothing of them begins, and others do")
    func cancelAll() async throws {
        let runner = runner(route(Router(), .sequentially))
        try run([.work(1), .work(2), .work(3)], by: runner)
        try await begun.wait { $0.count == 1 }
        runner.cancelAll()
        // A handler whose start has not returned is stopped when it has.
        try await stopped.wait { $0 == [1] }
        callbacks.elements[0].end(with: "late")
        try run([.work(4)], from: 4, by: runner)
        try await begun.wait { $0.count == 2 }
        #expect(begun.elements == [1, 4])
        #expect(stopped.elements == [1])
        #expect(outcomes.elements.isEmpty)
    }
}
