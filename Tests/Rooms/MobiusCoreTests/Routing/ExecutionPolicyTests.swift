import Dispatch
import Foundation
import MobiusCore
import Synchronization
import TestTraits
import Testing

/// How the effects of one route share their time, in a loop's connection.
@Suite(.patient) struct ExecutionPolicyTests {
    enum Effect: Equatable { case work(Int), other(Int) }
    typealias Router = EffectRouter<Effect, String>

    /// Keeps what a route's handlers were given, so that the test decides when they end.
    final class Handlers: Sendable {
        let begun = Recorder<Int>()
        let stopped = Recorder<Int>()
        private let callbacks = Lock<[Int: EffectCallback<String>]>([:])

        func route(_ router: Router, _ policy: ExecutionPolicy) -> Router {
            router.routeCase(Effect.work).executing(policy).to { number, callback in
                self.keep(callback, number)
                self.begun.record(number)
                return AnonymousDisposable { self.stopped.record(number) }
            }
        }

        func keep(_ callback: EffectCallback<String>, _ number: Int) { callbacks.withLock { $0[number] = callback } }
        func callback(_ number: Int) -> EffectCallback<String>? { callbacks.withLock { $0[number] } }
        func send(_ number: Int, _ event: String) { callback(number)?.send(event) }
        func end(_ number: Int, _ event: String) { callback(number)?.end(with: event) }
        func forget(_ number: Int) { _ = callbacks.withLock { $0.removeValue(forKey: number) } }
    }

    private let handlers = Handlers()
    private let events = Recorder<String>()

    private func connect(_ policy: ExecutionPolicy) -> Connection<Effect> {
        handlers.route(Router(), policy).connect { [events] in events.record($0) }
    }

    private func accept(_ numbers: ClosedRange<Int>, _ connection: Connection<Effect>) {
        for number in numbers { connection.accept(.work(number)) }
    }

    @Test func `without a policy all begin at once`() {
        let connection = connect(.concurrently)
        accept(1...3, connection)
        #expect(handlers.begun.values == [1, 2, 3])
        connection.dispose()
        #expect(handlers.stopped.values == [1, 2, 3])
    }

    @Test func `sequentially, the next begins when the one before has ended, in order`() {
        let connection = connect(.sequentially)
        accept(1...3, connection)
        #expect(handlers.begun.values == [1])
        handlers.end(1, "a")
        #expect(handlers.begun.values == [1, 2])
        handlers.end(2, "b")
        #expect(handlers.begun.values == [1, 2, 3])
        handlers.end(3, "c")
        accept(4...4, connection)
        #expect(handlers.begun.values == [1, 2, 3, 4])
        #expect(events.values == ["a", "b", "c"])
        connection.dispose()
    }

    @Test func `with a limit, so many at a time`() {
        let connection = connect(.concurrently(limit: 2))
        accept(1...5, connection)
        #expect(handlers.begun.values == [1, 2])
        handlers.end(2, "b")
        #expect(handlers.begun.values == [1, 2, 3])
        handlers.end(1, "a")
        handlers.end(3, "c")
        #expect(handlers.begun.values == [1, 2, 3, 4, 5])
        connection.dispose()
        #expect(handlers.stopped.values == [4, 5])
    }

    @Test func `the newest cancels the one before, of which nothing more is delivered`() {
        let connection = connect(.cancelPrevious)
        accept(1...1, connection)
        handlers.send(1, "early")
        accept(2...2, connection)
        #expect(handlers.begun.values == [1, 2])
        #expect(handlers.stopped.values == [1])
        handlers.send(1, "late")
        handlers.end(1, "later")
        handlers.end(2, "b")
        #expect(events.values == ["early", "b"])
        accept(3...3, connection)
        #expect(handlers.stopped.values == [1])
        connection.dispose()
        #expect(handlers.stopped.values == [1, 3])
    }

    @Test func `a handler that lets go of its callback goes on until it is stopped`() {
        let connection = connect(.sequentially)
        accept(1...2, connection)
        handlers.forget(1)
        #expect(handlers.begun.values == [1])
        connection.dispose()
        #expect(handlers.stopped.values == [1])
    }

    @Test func `each route and each connection has its own turns`() {
        let router = handlers.route(Router(), .sequentially)
            .routeCase(Effect.other).executing(.sequentially).toEvent { "other \($0)" }
        let first = router.connect { [events] in events.record($0) }
        let second = router.connect { [events] in events.record($0) }
        first.accept(.work(1))
        second.accept(.work(2))
        first.accept(.other(3))
        #expect(handlers.begun.values == [1, 2])
        #expect(events.values == ["other 3"])
        first.accept(.work(4))
        first.dispose()
        #expect(handlers.begun.values == [1, 2])
        second.accept(.work(5))
        handlers.end(2, "b")
        #expect(handlers.begun.values == [1, 2, 5])
        second.dispose()
    }

    @Test func `effects that wait do not begin after dispose`() {
        let connection = connect(.sequentially)
        accept(1...3, connection)
        connection.dispose()
        handlers.end(1, "late")
        #expect(handlers.begun.values == [1])
        #expect(handlers.stopped.values == [1])
        #expect(events.values == [])
    }

    @Test func `plain closures in a row do not begin inside each other`() {
        let handlers = handlers
        let router = Router().routeCase(Effect.work).executing(.sequentially).to { number, callback in
            if number == 0 {
                handlers.keep(callback, 0)
            } else {
                callback.end(with: "\(number)")
            }
            return EmptyDisposable()
        }
        let connection = router.connect { [events] in events.record($0) }
        // All of them wait for the first; then they end at once, one after the other, on one stack.
        for number in 0...20_000 { connection.accept(.work(number)) }
        handlers.end(0, "0")
        #expect(events.values.count == 20_001)
        #expect(events.values.last == "20000")
        connection.dispose()
    }

    @Test func `async closures one after the other`() async {
        let inside = Recorder<String>()
        let router = Router().routeCase(Effect.work).executing(.sequentially).toEvent { number async in
            inside.record("begin \(number)")
            for _ in 0..<10 { await Task.yield() }
            inside.record("end \(number)")
            return "\(number)"
        }
        let connection = router.connect { [events] in events.record($0) }
        accept(1...20, connection)
        #expect(await events.wait(for: 20) == (1...20).map { "\($0)" })
        #expect(inside.values == (1...20).flatMap { ["begin \($0)", "end \($0)"] })
        connection.dispose()
    }

    @Test func `async closures by a limit`() async {
        let counter = HighWater()
        let router = Router().routeCase(Effect.work).executing(.concurrently(limit: 3)).toEvent { number async in
            counter.enter()
            for _ in 0..<20 { await Task.yield() }
            counter.leave()
            return "\(number)"
        }
        let connection = router.connect { [events] in events.record($0) }
        accept(1...60, connection)
        #expect(await Set(events.wait(for: 60)) == Set((1...60).map { "\($0)" }))
        #expect(counter.highest <= 3)
        #expect(counter.highest > 1)
        connection.dispose()
    }

    @Test func `the task of the one before is cancelled`() async {
        let cancelled = Recorder<Int>()
        let router = Router().routeCase(Effect.work).executing(.cancelPrevious).toEvent { number async in
            guard number < 3 else { return "\(number)" }
            while !Task.isCancelled { await Task.yield() }
            cancelled.record(number)
            return "late \(number)"
        }
        let connection = router.connect { [events] in events.record($0) }
        accept(1...3, connection)
        #expect(await events.wait(for: 1) == ["3"])
        // One that had not begun when it was cancelled never begins.
        #expect(await eventually { cancelled.values.allSatisfy { $0 < 3 } })
        connection.dispose()
        #expect(events.values == ["3"])
    }

    @Test func `a place is free when a cancelled task has really ended`() async {
        let (begun, released) = (Recorder<Int>(), Latch())
        let router = Router()
            .routeCase(Effect.work).executing(.sequentially).toEvent { number async in
                begun.record(number)
                if number == 1 { await released.wait() }
                return "\(number)"
            }
            .routeCase(Effect.other).cancels { number, effect in effect == .work(number) }
        let connection = router.connect { [events] in events.record($0) }
        accept(1...2, connection)
        #expect(await begun.wait(for: 1) == [1])
        connection.accept(.other(1))
        #expect(begun.values == [1])
        released.open()
        #expect(await events.wait(for: 1) == ["2"])
        connection.dispose()
        #expect(events.values == ["2"])
    }

    @Test func `handlers on a queue have turns, too`() async {
        let queue = DispatchQueue(label: "concurrent", attributes: .concurrent)
        let counter = HighWater()
        let route = Router().routeCase(Effect.work).on(queue: queue).executing(.sequentially)
        let router = route.toEvent { number in
            counter.enter()
            defer { counter.leave() }
            return "\(number)"
        }
        let connection = router.connect { [events] in events.record($0) }
        accept(1...200, connection)
        #expect(await events.wait(for: 200) == (1...200).map { "\($0)" })
        #expect(counter.highest == 1)
        connection.dispose()
    }

    @Test func `sequences give way to the newest`() async {
        let router = Router().routeCase(Effect.work).executing(.cancelPrevious).toEvents { number in
            AsyncStream<String> { continuation in
                continuation.yield("begin \(number)")
                if number == 2 { continuation.finish() }
            }
        }
        let connection = router.connect { [events] in events.record($0) }
        connection.accept(.work(1))
        #expect(await events.wait(for: 1) == ["begin 1"])
        connection.accept(.work(2))
        #expect(await events.wait(for: 2) == ["begin 1", "begin 2"])
        connection.dispose()
    }

    @Test func `threads race, and limits and order hold`() async {
        let counter = HighWater()
        let router = Router().routeCase(Effect.work).executing(.concurrently(limit: 2)).toEvent { number async in
            counter.enter()
            await Task.yield()
            counter.leave()
            return "\(number)"
        }
        let connection = router.connect { [events] in events.record($0) }
        await withTaskGroup(of: Void.self) { group in
            for thread in 0..<8 {
                group.addTask { for number in 0..<100 { connection.accept(.work(thread * 100 + number)) } }
            }
        }
        #expect(await Set(events.wait(for: 800)).count == 800)
        #expect(counter.highest <= 2)
        connection.dispose()
    }

    @Test func `what cannot be is a programmer error at its line`() async {
        let limit = await #expect(processExitsWith: .exitCode(70), observing: [\.standardErrorContent]) {
            printErrorsAndLeave()
            _ = Router().routeCase(Effect.work).executing(.concurrently(limit: 0))
        }
        #expect(message(of: limit).hasPrefix("executing(.concurrently(limit: 0)) would never run an effect"))
        #expect(message(of: limit).hasSuffix("[ExecutionPolicyTests.swift]"))
        let endless = await #expect(processExitsWith: .exitCode(70), observing: [\.standardErrorContent]) {
            printErrorsAndLeave()
            let connectable = AnyConnectable<Int, String> { _ in
                Connection(acceptClosure: { _ in }, disposeClosure: {})
            }
            _ = Router().routeCase(Effect.work).executing(.sequentially).to(connectable)
        }
        #expect(message(of: endless).hasPrefix("The inputs of a connectable have no end to wait for"))
    }
}

/// How many were inside at once, at most.
private final class HighWater: Sendable {
    private let counts = Lock((inside: 0, highest: 0))

    var highest: Int { counts.withLock { $0.highest } }

    func enter() {
        counts.withLock { counts in
            counts.inside += 1
            counts.highest = max(counts.highest, counts.inside)
        }
    }

    func leave() { counts.withLock { $0.inside -= 1 } }
}
