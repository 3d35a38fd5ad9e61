import Dispatch
import Foundation
import MobiusCore
import Testing

/// Each kind of handler that a route can have, run as a worker runs it: one effect, one callback.
@Suite struct HandlerKindTests {
    enum Effect: Equatable { case work(Int), idle }
    typealias Router = EffectRouter<Effect, String>

    /// Answers with two events and keeps what it was asked for.
    final class Handler: EffectHandler {
        let told = Recorder<String>()

        func handle(_ number: Int, _ callback: EffectCallback<String>) -> any Disposable {
            callback.send("\(number)")
            callback.end(with: "\(number + 1)")
            return AnonymousDisposable { [told] in told.record("stopped") }
        }
    }

    private let answer = Answer<String>()
    private let told = Recorder<String>()

    private func run(_ router: Router) throws -> any Disposable {
        try #require(router.handler(for: .work(1))).run(answer.callback)
    }

    @Test func `a closure that returns an event`() throws {
        let router = Router().routeCase(Effect.work).toEvent { "\($0)" }
        #expect(router.handler(for: .work(1))?.kind == .blocking)
        _ = try run(router)
        #expect(answer.sent == [])
        #expect(answer.ends == [["1"]])
    }

    @Test func `a closure that returns no event`() throws {
        _ = try run(Router().routeCase(Effect.work).toEvent { _ in nil })
        #expect(answer.outputs == [])
        #expect(answer.ends == [[]])
    }

    @Test func `a closure that returns nothing`() throws {
        let told = told
        let router = Router().routeCase(Effect.work).to { told.record("\($0)") }
        #expect(router.handler(for: .work(1))?.kind == .blocking)
        _ = try run(router)
        #expect(told.values == ["1"])
        #expect(answer.ends == [[]])
    }

    @Test func `a handler`() throws {
        let handler = Handler()
        let router = Router().routeCase(Effect.work).to(AnyEffectHandler(handler: handler))
        #expect(router.handler(for: .work(1))?.kind == .blocking)
        try run(router).dispose()
        #expect(answer.sent == ["1"])
        #expect(answer.ends == [["2"]])
        #expect(handler.told.values == ["stopped"])
    }

    @Test func `a closure that answers through a callback`() throws {
        let told = told
        let router = Router().routeCase(Effect.work).to { number, callback in
            callback.send("\(number)")
            return AnonymousDisposable { told.record("stopped") }
        }
        try run(router).dispose()
        #expect(answer.sent == ["1"])
        // Nobody holds the callback any more, so it has ended.
        #expect(answer.ends == [[]])
        #expect(told.values == ["stopped"])
    }

    @Test func `a connectable gets a connection of its own for each effect`() throws {
        let told = told
        let connectable = AnyConnectable<Int, String> { consumer in
            told.record("connected")
            return Connection(
                acceptClosure: { consumer("\($0)") }, disposeClosure: { told.record("disconnected") })
        }
        let router = Router().routeCase(Effect.work).to(connectable)
        #expect(router.handler(for: .work(1))?.kind == .endless)
        let first = try run(router)
        let second = try run(router)
        #expect(told.values == ["connected", "connected"])
        #expect(answer.sent == ["1", "1"])
        #expect(answer.ends == [])
        first.dispose()
        #expect(told.values == ["connected", "connected", "disconnected"])
        #expect(answer.ends == [[]])
        second.dispose()
        #expect(answer.ends == [[], []])
    }

    @Test func `an async closure that returns an event`() async throws {
        let router = Router().routeCase(Effect.work).toEvent { number async in
            await Task.yield()
            return "\(number)"
        }
        #expect(router.handler(for: .work(1))?.kind == .suspending)
        _ = try run(router)
        #expect(await eventually { answer.ends == [["1"]] })
    }

    @Test func `an async closure that returns nothing`() async throws {
        let told = told
        let router = Router().routeCase(Effect.work).to { number in
            await Task.yield()
            told.record("\(number)")
        }
        #expect(router.handler(for: .work(1))?.kind == .suspending)
        _ = try run(router)
        #expect(await eventually { answer.ends == [[]] })
        #expect(told.values == ["1"])
    }

    @Test func `async functions without a closure round them`() async throws {
        let told = told
        let record: @Sendable (Int) async -> Void = { told.record("\($0)") }
        let double: @Sendable (Int) async -> String? = { "\($0 * 2)" }
        _ = try run(Router().routeCase(Effect.work).to(async: record))
        #expect(await eventually { answer.ends == [[]] })
        #expect(told.values == ["1"])
        _ = try run(Router().routeCase(Effect.work).toEvent(double))
        #expect(await eventually { answer.ends == [[], ["2"]] })
    }

    @Test func `an async closure is cancelled when it is disposed of, and its event ignored`() async throws {
        let told = told
        let running = try run(
            Router().routeCase(Effect.work).toEvent { number async in
                told.record("started")
                while !Task.isCancelled { await Task.yield() }
                return "too late"
            })
        #expect(await told.wait(for: 1) == ["started"])
        running.dispose()
        #expect(await eventually { answer.ends == [[]] })
        #expect(answer.outputs == [])
    }

    @Test func `handlers run on the queue of their route`() async throws {
        let queue = DispatchQueue(label: "handlers")
        let key = DispatchSpecificKey<String>()
        queue.setSpecific(key: key, value: "queue")
        let connectable = AnyConnectable<Int, String> { consumer in
            Connection(
                acceptClosure: { _ in consumer(DispatchQueue.getSpecific(key: key) ?? "elsewhere") },
                disposeClosure: {})
        }
        @Sendable func here() -> String { DispatchQueue.getSpecific(key: key) ?? "elsewhere" }
        let route = Router().routeCase(Effect.work).on(queue: queue)
        let handlers: [(Router, RouteKind)] = [
            (route.toEvent { _ in here() }, .suspending),
            (
                route.to { _, callback in
                    callback.end(with: here())
                    return EmptyDisposable()
                }, .suspending
            ),
            (
                route.toEvent { _ async in
                    await Task.yield()
                    return here()
                }, .suspending
            ),
            (route.to(connectable), .endless),
        ]
        for (router, kind) in handlers {
            let answer = Answer<String>()
            let handler = try #require(router.handler(for: .work(1)))
            #expect(handler.kind == kind)
            let running = handler.run(answer.callback)
            #expect(await eventually { answer.outputs == ["queue"] })
            running.dispose()
        }
    }

    @Test func `what is disposed of before its queue comes to it does not run`() async throws {
        let told = told
        let queue = DispatchQueue(label: "busy")
        queue.suspend()
        let router = Router().routeCase(Effect.work).on(queue: queue)
        try run(router.to { told.record("\($0)") }).dispose()
        try run(router.to { number async in told.record("\(number)") }).dispose()
        queue.resume()
        #expect(await eventually { answer.ends == [[], []] })
        #expect(told.values == [])
    }
}
