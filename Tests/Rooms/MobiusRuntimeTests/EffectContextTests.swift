import Dispatch
import FleetTestSupport
import MobiusCore
import MobiusEngine
import MobiusRuntime
import MobiusWire
import TestTraits
import Testing

/// What handlers of every kind know about their effects.
@Suite("The context of an effect", .patient)
struct EffectContextTests {
    typealias Router = RunnerStage.Router

    /// What the handler of `work(…)` sees, in words.
    private static func seen(_ place: String = "") -> String {
        guard let context = EffectContext.current else { return place + "nothing" }
        return "\(place)\(context.idempotencyKey)@\(context.attempt)"
    }

    private static let first = "main/1/0@2.7"

    /// Runs one effect by a handler of some kind, which answers with what it sees.
    private func answer(_ router: Router) async throws -> String? {
        let stage = RunnerStage(router)
        try stage.run(.work("a"))
        try await stage.answers.wait { $0.contains { $0.hasSuffix("end") } }
        return stage.answers.elements.first?.split(separator: ": ").last.map(String.init)
    }

    @Test func `a plain closure sees it`() async throws {
        let router = Router().routeCase(RunnerStage.Effect.work).toEvent { _ in Self.seen() }
        #expect(try await answer(router) == "\(Self.first), end")
    }

    @Test func `a plain closure on a queue sees it`() async throws {
        let queue = DispatchQueue(label: "test")
        let router = Router().routeCase(RunnerStage.Effect.work).on(queue: queue).toEvent { _ in Self.seen() }
        #expect(try await answer(router) == "\(Self.first), end")
    }

    @Test func `an effect handler sees it`() async throws {
        let router = Router().routeCase(RunnerStage.Effect.work).to { (_: String, callback) -> any Disposable in
            callback.end(with: Self.seen())
            return EmptyDisposable()
        }
        #expect(try await answer(router) == "\(Self.first), end")
    }

    @Test func `an async closure sees it, after suspensions, in child tasks and in tasks that it starts`() async throws
    {
        let router = Router().routeCase(RunnerStage.Effect.work).toEvent { _ async in
            await Task.yield()
            async let child = Self.seen("child ")
            let started = Task { Self.seen("started ") }
            let detached = Task.detached { Self.seen("detached ") }
            return await [Self.seen(), child, started.value, detached.value].joined(separator: " ")
        }
        #expect(
            try await answer(router)
                == "\(Self.first) child \(Self.first) started \(Self.first) detached nothing, end")
    }

    @Test func `an async closure on a queue sees it`() async throws {
        let queue = DispatchQueue(label: "test")
        let router = Router().routeCase(RunnerStage.Effect.work).on(queue: queue).toEvent { _ async in
            await Task.yield()
            return Self.seen()
        }
        #expect(try await answer(router) == "\(Self.first), end")
    }

    @Test func `closures on the main actor see it`() async throws {
        let plain = Router().routeCase(RunnerStage.Effect.work).onMainActor().toEvent { _ in Self.seen() }
        #expect(try await answer(plain) == "\(Self.first), end")
        let suspending = Router().routeCase(RunnerStage.Effect.work).onMainActor().toEvent { _ async in
            await Task.yield()
            return Self.seen()
        }
        #expect(try await answer(suspending) == "\(Self.first), end")
    }

    @Test func `a sequence of events sees it`() async throws {
        let router = Router().routeCase(RunnerStage.Effect.work).toEvents { _ in
            AsyncStream { stream in
                stream.yield(Self.seen())
                stream.finish()
            }
        }
        #expect(try await answer(router) == Self.first)
    }

    @Test func `a connectable sees it, when it is connected and when it takes its input`() async throws {
        let router = Router().routeCase(RunnerStage.Effect.work).to(Seer())
        let stage = RunnerStage(router)
        try stage.run(.work("a"))
        try await stage.answers.wait { $0.count == 2 }
        #expect(stage.answers.elements == ["1: connected \(Self.first)", "1: accepted \(Self.first)"])
    }

    private struct Seer: Connectable {
        func connect(_ consumer: @escaping Consumer<String>) -> Connection<String> {
            consumer(EffectContextTests.seen("connected "))
            return Connection(
                acceptClosure: { _ in consumer(EffectContextTests.seen("accepted ")) }, disposeClosure: {})
        }
    }

    @Test func `an exhaustive router's handlers see it`() async throws {
        let router = Router { effect in
            switch effect {
            case .work: .toEvent { Self.seen() }
            case .stop: .nothing
            }
        }
        #expect(try await answer(router) == "\(Self.first), end")
    }

    @Test func `in a queue of effects each sees its own, whoever's end began it`() async throws {
        let callbacks = Journey<EffectCallback<String>>()
        let router = Router().routeCase(RunnerStage.Effect.work).executing(.sequentially).to {
            (_: String, callback) -> any Disposable in
            callback.send(Self.seen())
            callbacks.add(callback)
            return EmptyDisposable()
        }
        let stage = RunnerStage(router)
        try stage.run(.work("a"))
        try await callbacks.wait { $0.count == 1 }
        try stage.run(.work("b"), from: 2)
        // The end of the first, said inside of some other handler's context, begins the second.
        let other = EffectContext(id: RunnerStage.id(99).effect)
        try await eventually("the second waits") {
            EffectContext.$current.withValue(other) { callbacks.elements[0].end() }
            return callbacks.elements.count == 2
        }
        #expect(stage.answers.elements.contains("2: main/2/0@2.7"))
    }

    @Test func `tasks in a queue of effects see their own`() async throws {
        let router = Router().routeCase(RunnerStage.Effect.work).executing(.sequentially).toEvent { _ async in
            await Task.yield()
            return Self.seen()
        }
        let stage = RunnerStage(router)
        try stage.run(.work("a"), .work("b"), .work("c"))
        try await stage.answers.wait { $0.count == 3 }
        #expect(Set(stage.answers.elements) == Set((1...3).map { "\($0): main/\($0)/0@2.7, end" }))
    }

    @Test func `nobody else sees one`() {
        #expect(EffectContext.current == nil)
    }

    @Test func `the time of an order becomes a deadline`() async throws {
        let deadlines = Journey<ContinuousClock.Instant?>()
        let router = Router().routeCase(RunnerStage.Effect.work).to { _ in
            deadlines.add(EffectContext.current?.deadline)
        }
        let stage = RunnerStage(router)
        let before = ContinuousClock.now
        try stage.run(.work("a"), timeout: 5000)
        try await deadlines.wait { $0.count == 1 }
        let after = ContinuousClock.now
        let deadline = try #require(deadlines.elements[0])
        #expect(deadline >= before + .seconds(5) && deadline <= after + .seconds(5))
        try stage.run(.work("b"), from: 2)
        try await deadlines.wait { $0.count == 2 }
        #expect(deadlines.elements[1] == nil)
    }

    @Test func `progress is noted by the runner's clock, for as long as the handler runs`() async throws {
        let contexts = Journey<EffectContext?>()
        let callbacks = Journey<EffectCallback<String>>()
        let router = Router().routeCase(RunnerStage.Effect.work).to { (_: String, callback) -> any Disposable in
            callbacks.add(callback)  // without anything to stop, one that nobody holds has ended
            contexts.add(EffectContext.current)
            return EmptyDisposable()
        }
        let stage = RunnerStage(router)
        try stage.run(.work("a"), .work("b"))
        try await contexts.wait { $0.count == 2 }
        #expect(stage.progress == [:])
        stage.setClock(Moment(nanoseconds: 1000))
        let context = try #require(contexts.elements.compactMap(\.self).first { $0.id.sequence == 1 })
        context.progress()
        #expect(stage.progress == [1: Moment(nanoseconds: 1000)])
        stage.setClock(Moment(nanoseconds: 3000))
        context.progress()
        #expect(stage.progress == [1: Moment(nanoseconds: 3000)])
        for callback in callbacks.elements { callback.end() }
        try await stage.answers.wait { $0.count == 2 }
        stage.ended(1)
        #expect(stage.progress == [:])
    }
}
