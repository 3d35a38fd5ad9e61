import Dispatch
import MobiusCore
import Synchronization
import TestTraits
import Testing

/// Routes that cancel effects under way.
@Suite(.patient) struct CancelRouteTests {
    enum Effect: Equatable { case load(Int), queued(Int), fetch(Int), next(Int), say(String), stop(Int), stopAll }
    typealias Router = EffectRouter<Effect, String>

    private let told = Recorder<String>()
    private let callbacks = Recorder<EffectCallback<String>>()
    private let events = Recorder<String>()

    private func connect(_ more: (Router) -> Router = { $0 }) -> Connection<Effect> {
        let (told, callbacks) = (told, callbacks)
        let router = Router()
            .routeCase(Effect.load).to { number, callback in
                callbacks.record(callback)
                return AnonymousDisposable { told.record("stopped \(number)") }
            }
            .routeCase(Effect.stop).cancels { number, effect in
                told.record("asked about \(effect)")
                return effect == .load(number) || effect == .queued(number) || effect == .fetch(number)
                    || effect == .next(number)
            }
            .routeCase(Effect.stopAll).cancels { _, _ in true }
            .routeCase(Effect.say).toEvent { $0 }
        return more(router).connect { [events] in events.record($0) }
    }

    @Test func `it cancels what it says, delivers nothing more of it, and leaves the others alone`() {
        let connection = connect()
        for number in 1...3 { connection.accept(.load(number)) }
        callbacks.values[1].send("early")
        connection.accept(.stop(2))
        #expect(told.values == ["asked about load(1)", "asked about load(2)", "stopped 2", "asked about load(3)"])
        for callback in callbacks.values { callback.end(with: "end") }
        #expect(events.values == ["early", "end", "end"])
        connection.dispose()
        #expect(told.values.count == 4)
    }

    @Test func `what has ended is not asked about`() {
        let connection = connect()
        connection.accept(.load(1))
        callbacks.values[0].end()
        connection.accept(.say("hello"))
        connection.accept(.stop(1))
        #expect(told.values == [])
        #expect(events.values == ["hello"])
        connection.dispose()
    }

    @Test func `it cancels within its connection only`() {
        let (first, second) = (connect(), connect())
        first.accept(.load(1))
        second.accept(.load(1))
        first.accept(.stopAll)
        #expect(told.values == ["stopped 1"])
        callbacks.values[1].end(with: "second")
        #expect(events.values == ["second"])
        first.dispose()
        second.dispose()
    }

    @Test func `a task is cancelled`() async {
        let begun = Latch()
        let told = told
        let connection = connect {
            $0.routeCase(Effect.fetch).toEvent { number async in
                begun.open()
                while !Task.isCancelled { await Task.yield() }
                told.record("cancelled")
                return "late"
            }
        }
        connection.accept(.fetch(1))
        await begun.wait()
        connection.accept(.stop(1))
        #expect(await eventually { told.values.last == "cancelled" })
        connection.accept(.say("after"))
        connection.dispose()
        #expect(events.values == ["after"])
    }

    @Test func `what waits for its queue never begins`() async {
        let queue = DispatchQueue(label: "busy")
        queue.suspend()
        let told = told
        let connection = connect {
            $0.routeCase(Effect.queued).on(queue: queue).toEvent { number in
                told.record("begun \(number)")
                return "\(number)"
            }
        }
        connection.accept(.queued(1))
        connection.accept(.queued(2))
        connection.accept(.stop(1))
        queue.resume()
        #expect(await events.wait(for: 1) == ["2"])
        #expect(!told.values.contains("begun 1"))
        connection.dispose()
    }

    @Test func `what waits for its turn never begins, and is passed over`() {
        let callbacks = Recorder<EffectCallback<String>>()
        let connection = connect {
            $0.routeCase(Effect.next).executing(.sequentially).to { number, callback in
                callback.send("begun \(number)")
                callbacks.record(callback)
                return EmptyDisposable()
            }
        }
        for number in 1...3 { connection.accept(.next(number)) }
        connection.accept(.stop(2))
        callbacks.values[0].end()
        #expect(events.values == ["begun 1", "begun 3"])
        // One that runs frees its place although its handler never ends its callback.
        connection.accept(.next(4))
        connection.accept(.stop(3))
        #expect(events.values == ["begun 1", "begun 3", "begun 4"])
        connection.dispose()
    }

    @Test func `an effect may cancel inside the delivery of the one it cancels`() {
        let held = Lock<Connection<Effect>?>(nil)
        let router = Router()
            .routeCase(Effect.load).to { number, callback in
                callback.send("first")
                callback.send("second")
                return EmptyDisposable()
            }
            .routeCase(Effect.stop).cancels { number, effect in effect == .load(number) }
        let connection = router.connect { [events] event in
            events.record(event)
            held.withLock { $0 }?.accept(.stop(1))
        }
        held.withLock { $0 = connection }
        connection.accept(.load(1))
        #expect(events.values == ["first"])
        held.withLock { $0 = nil }
        connection.dispose()
    }

    @Test func `threads race with it, and what is cancelled stays silent`() async {
        for _ in 0..<200 {
            let connection = connect()
            let before = callbacks.values.count
            for number in 0..<4 { connection.accept(.load(number)) }
            let mine = Array(callbacks.values[before...])
            await withTaskGroup(of: Void.self) { group in
                for callback in mine {
                    group.addTask {
                        for _ in 0..<20 { callback.send("x") }
                        callback.end()
                    }
                }
                group.addTask { connection.accept(.stopAll) }
            }
            let delivered = events.values.count
            for callback in mine { callback.send("late") }
            #expect(events.values.count == delivered)
            connection.dispose()
        }
    }

    @Test func `a case without a payload has nothing to cancel by but the effect under way`() {
        let router = Router().routeCase(Effect.stopAll).cancels { $0 == .load(1) }
            .routeCase(Effect.load).to { [told] number, _ in
                AnonymousDisposable { told.record("stopped \(number)") }
            }
        let connection = router.connect { _ in }
        connection.accept(.load(1))
        connection.accept(.load(2))
        connection.accept(.stopAll)
        #expect(told.values == ["stopped 1"])
        connection.dispose()
    }

    @Test func `a runtime is told what it is`() {
        let router = Router().routeCase(Effect.stop).cancels { number, effect in effect == .load(number) }
        #expect(router.outcome(for: .stop(1)) == .cancels)
        #expect(router.complaint(about: .stop(1)) == nil)
    }
}
