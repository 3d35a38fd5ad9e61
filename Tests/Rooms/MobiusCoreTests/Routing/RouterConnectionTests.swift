import Dispatch
import FleetTestSupport
import Foundation
import MobiusCore
import Synchronization
import Testing

/// A router as the effect handler of a loop.
@Suite struct RouterConnectionTests {
    enum Effect: Equatable { case say(String), watch(Int), wait(Int) }
    typealias Router = EffectRouter<Effect, String>

    private let told = Recorder<String>()

    /// Keeps the callbacks of the effects it was given.
    final class Held: Sendable {
        let callbacks = Recorder<EffectCallback<String>>()
        let stopped = Recorder<Int>()

        func router() -> Router {
            Router().routeCase(Effect.wait).to { number, callback in
                self.callbacks.record(callback)
                return AnonymousDisposable { self.stopped.record(number) }
            }
        }
    }

    @Test func `plain handlers have run when accept returns`() {
        let told = told
        let router = Router().routeCase(Effect.say).toEvent { $0 + "!" }
        let connection = router.asConnectable.connect { told.record($0) }
        connection.accept(.say("a"))
        #expect(told.values == ["a!"])
    }

    @Test func `a connectable is connected once, before the first effect`() {
        let told = told
        let connectable = AnyConnectable<Int, String> { consumer in
            consumer("connected")
            return Connection(acceptClosure: { consumer("\($0)") }, disposeClosure: { told.record("disconnected") })
        }
        let connection = Router().routeCase(Effect.watch).to(connectable).asConnectable.connect { told.record($0) }
        #expect(told.values == ["connected"])
        connection.accept(.watch(1))
        connection.accept(.watch(2))
        #expect(told.values == ["connected", "1", "2"])
        connection.dispose()
        #expect(told.values == ["connected", "1", "2", "disconnected"])
    }

    @Test func `it may be connected again after its connection has been disposed of`() {
        let told = told
        let connectable = Router().routeCase(Effect.say).toEvent { $0 }.asConnectable
        for round in ["first", "second"] {
            let connection = connectable.connect { told.record($0) }
            connection.accept(.say(round))
            connection.dispose()
        }
        #expect(told.values == ["first", "second"])
    }

    @Test func `the router itself opens as many connections as are asked for, each on its own`() {
        let told = told
        let connectable = AnyConnectable<Int, String> { consumer in
            told.record("connected")
            return Connection(
                acceptClosure: { consumer("\($0)") }, disposeClosure: { told.record("disconnected") })
        }
        let router = Router().routeCase(Effect.watch).to(connectable).routeCase(Effect.say).toEvent { $0 }
        let first = router.connect { told.record("first \($0)") }
        let second = router.connect { told.record("second \($0)") }
        first.accept(.say("a"))
        second.accept(.watch(1))
        first.dispose()
        first.accept(.say("late"))
        second.accept(.say("b"))
        second.dispose()
        #expect(
            told.values == [
                "connected", "connected", "first a", "second 1", "disconnected", "second b", "disconnected",
            ])
    }

    @Test func `a loop takes the router itself`() {
        let router = Router().routeCase(Effect.say).toEvent { $0 }
        let loops = (0..<2).map { _ in
            Mobius.loop(
                update: { (model: String, event: String) -> Next<String, Effect> in
                    event.count < 4 ? .next(model + event, effects: [.say(event + "x")]) : .noChange
                }, effectHandler: router
            ).start(from: "")
        }
        for loop in loops { loop.dispatchEvent("a") }
        #expect(loops.map(\.latestModel) == ["aaxaxx", "aaxaxx"])
        for loop in loops { loop.dispose() }
    }

    @Test func `effects begin in their order, on queues too`() async {
        let queue = DispatchQueue(label: "in order")
        let told = told
        let connection = Router()
            .routeCase(Effect.say).toEvent { "said \($0)" }
            .routeCase(Effect.watch).on(queue: queue).toEvent { "watched \($0)" }
            .connect { told.record($0) }
        for number in 0..<100 { connection.accept(.watch(number)) }
        #expect(await told.wait(for: 100) == (0..<100).map { "watched \($0)" })
        for number in 0..<3 { connection.accept(.say("\(number)")) }
        #expect(told.values.suffix(3) == ["said 0", "said 1", "said 2"])
        connection.dispose()
    }

    @Test func `errors come on the thread that has the effect, with the line of the router`() async {
        let result = await #expect(processExitsWith: .exitCode(72), observing: [\.standardErrorContent]) {
            let (router, line) = (Router().routeCase(Effect.say).toEvent { $0 }, UInt(#line))
            MobiusHooks.setErrorHandler { _, _, reported in
                let place =
                    "line \(Int(reported) - Int(line)) on \(Thread.current.threadDictionary["role"] ?? "another")"
                FileHandle.standardError.write(Data(place.utf8))
                exit(72)
            }
            let connection = router.connect { _ in }
            Thread {
                Thread.current.threadDictionary["role"] = "the effect's"
                connection.accept(.watch(1))
            }.start()
            _ = DispatchSemaphore(value: 0).waitPatiently()
        }
        #expect(message(of: result) == "line 0 on the effect's")
    }

    @Test func `connecting it twice at a time is a programmer error`() async {
        let result = await #expect(processExitsWith: .exitCode(70), observing: [\.standardErrorContent]) {
            printErrorsAndLeave()
            let connectable = Router().routeCase(Effect.say).toEvent { $0 }.asConnectable
            let first = connectable.connect { _ in }
            let second = connectable.connect { _ in }
            withExtendedLifetime((first, second)) {}
        }
        #expect(message(of: result).hasPrefix("The EffectRouter made at RouterConnectionTests.swift:"))
        #expect(message(of: result).contains("is connected already"))
    }

    @Test func `an effect without a route is a programmer error`() async {
        let result = await #expect(processExitsWith: .exitCode(70), observing: [\.standardErrorContent]) {
            printErrorsAndLeave()
            Router().routeCase(Effect.say).toEvent { $0 }.asConnectable.connect { _ in }.accept(.watch(1))
        }
        #expect(message(of: result).hasPrefix("No route takes the effect Effect.watch."))
        #expect(message(of: result).hasSuffix("[RouterConnectionTests.swift]"))
    }

    @Test func `an effect with two routes is a programmer error`() async {
        let result = await #expect(processExitsWith: .exitCode(70), observing: [\.standardErrorContent]) {
            printErrorsAndLeave()
            Router().routeCase(Effect.say).toEvent { $0 }.routeCase(Effect.say).toEvent { $0 }
                .asConnectable.connect { _ in }.accept(.say("secret"))
        }
        #expect(message(of: result).hasPrefix("2 routes take the effect Effect.say: RouterConnectionTests.swift:"))
        #expect(!message(of: result).contains("secret"))
    }

    @Test func `a remote route is a programmer error that says what to do`() async {
        let result = await #expect(processExitsWith: .exitCode(70), observing: [\.standardErrorContent]) {
            printErrorsAndLeave()
            Router().routeCase(Effect.say).toRemote(policy: { _ in 1 }) { text, _ in text }
                .asConnectable.connect { _ in }.accept(.say("secret"))
        }
        #expect(message(of: result).hasPrefix("The effect Effect.say is routed to other processes at Router"))
        #expect(message(of: result).contains("Give the loop a WorkerPool of the routes"))
    }

    @Test func `no lock is held when an error is raised`() async {
        // The handler uses everything that the error came from, which would wait for ever for a lock held.
        await #expect(processExitsWith: .exitCode(71)) {
            let connectable = Router().routeCase(Effect.say).toEvent { $0 }.asConnectable
            let held = Recorder<Connection<Effect>>()
            let connection = connectable.connect { _ in held.values.first?.accept(.watch(1)) }
            held.record(connection)
            MobiusHooks.setErrorHandler { _, _, _ in
                connection.dispose()
                MobiusHooks.setDefaultErrorHandler()
                connectable.connect { _ in exit(71) }.accept(.say("again"))
                exit(1)
            }
            connection.accept(.say("first"))
        }
    }

    @Test func `late senders are ignored`() {
        let told = told
        let held = Held()
        let connection = held.router().asConnectable.connect { told.record($0) }
        connection.accept(.wait(1))
        connection.accept(.wait(2))
        held.callbacks.values[0].send("in time")
        connection.dispose()
        connection.accept(.wait(3))
        for callback in held.callbacks.values {
            callback.send("late")
            callback.end(with: "later")
        }
        #expect(told.values == ["in time"])
        #expect(held.callbacks.values.count == 2)
        #expect(held.stopped.values == [1, 2])
    }

    @Test func `a callback that is kept keeps nothing else after dispose`() throws {
        let kept = Recorder<EffectCallback<String>>()
        weak var weakHeld: Held?
        weak var weakConsumer: Recorder<String>?
        do {
            let held = Held()
            let consumer = Recorder<String>()
            (weakHeld, weakConsumer) = (held, consumer)
            let connection = held.router().asConnectable.connect { consumer.record($0) }
            connection.accept(.wait(1))
            kept.record(try #require(held.callbacks.values.first))
            connection.dispose()
        }
        #expect(weakHeld == nil)
        #expect(weakConsumer == nil)
        kept.values[0].send("late")
    }

    @Test func `an effect that has ended is not stopped any more`() {
        let held = Held()
        let connection = held.router().asConnectable.connect { _ in }
        connection.accept(.wait(1))
        connection.accept(.wait(2))
        held.callbacks.values[0].end()
        connection.dispose()
        #expect(held.stopped.values == [2])
    }

    @Test func `it may be disposed of inside a delivery`() {
        let told = told
        let held = Lock<Connection<Effect>?>(nil)
        let router = Router().routeCase(Effect.say).to { text, callback in
            callback.send(text)
            callback.end(with: "after")
            return EmptyDisposable()
        }
        let connection = router.asConnectable.connect { event in
            told.record(event)
            held.withLock { $0 }?.dispose()
        }
        held.withLock { $0 = connection }
        connection.accept(.say("first"))
        connection.accept(.say("second"))
        #expect(told.values == ["first"])
    }

    @Test func `nothing is delivered after dispose has returned, whoever sends`() async {
        for _ in 0..<100 {
            let flags = Flags()
            let held = Held()
            let connection = held.router().asConnectable.connect { _ in
                if flags.disposed.load(ordering: .acquiring) { flags.late.add(1, ordering: .relaxed) }
            }
            for number in 0..<4 { connection.accept(.wait(number)) }
            await withTaskGroup(of: Void.self) { group in
                for callback in held.callbacks.values {
                    group.addTask { for _ in 0..<200 { callback.send("x") } }
                }
                group.addTask {
                    connection.dispose()
                    flags.disposed.store(true, ordering: .releasing)
                }
            }
            #expect(flags.late.load(ordering: .relaxed) == 0)
        }
    }

    @Test func `effects that wait for their queue do not run after dispose`() async {
        let told = told
        let queue = DispatchQueue(label: "busy")
        let router = Router()
            .routeCase(Effect.say).on(queue: queue).to { told.record($0) }
            .routeCase(Effect.watch).on(queue: queue).to(
                AnyConnectable<Int, String> { _ in
                    Connection(acceptClosure: { told.record("\($0)") }, disposeClosure: {})
                })
        let connection = router.asConnectable.connect { told.record($0) }
        queue.suspend()
        connection.accept(.say("a"))
        connection.accept(.watch(1))
        connection.dispose()
        queue.resume()
        await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
        #expect(told.values == [])
    }
}

/// Flags that closures may share.
private final class Flags: Sendable {
    let disposed = Atomic(false)
    /// Deliveries after that.
    let late = Atomic(0)
}
