import Dispatch
import MobiusCore
import TestTraits
import Testing

/// A router made of one closure with a `switch`.
@Suite(.patient) struct ExhaustiveRouterTests {
    enum Effect: Equatable { case save(String), log(String), fetch(Int), watch(Int), hold(Int), stop(Int), idle }
    enum Event: Equatable, Sendable { case saved(String), fetched(Int), tick(Int), held(Int) }

    private let told = Recorder<String>()

    private func router() -> EffectRouter<Effect, Event> {
        let told = told
        return EffectRouter { effect in
            switch effect {
            case .save(let document): .toEvent { .saved(document) }
            case .log(let line): .to { told.record(line) }
            case .fetch(let id):
                .toEvent {
                    await Task.yield()
                    return .fetched(id)
                }
            case .watch(let count):
                .toEvents {
                    AsyncStream { continuation in
                        for number in 0..<count { continuation.yield(.tick(number)) }
                        continuation.finish()
                    }
                }
            case .hold(let number):
                .to { callback in
                    callback.send(.held(number))
                    return AnonymousDisposable {
                        told.record("stopped \(number)")
                        callback.end()
                    }
                }
            case .stop(let number): .cancels { $0 == .hold(number) }
            case .idle: .nothing
            }
        }
    }

    @Test func `each case goes to its handler`() async {
        let events = Recorder<Event>()
        let connection = router().connect { events.record($0) }
        connection.accept(.save("s"))
        connection.accept(.log("l"))
        connection.accept(.idle)
        #expect(events.values == [.saved("s")])
        #expect(told.values == ["l"])
        connection.accept(.fetch(1))
        #expect(await events.wait(for: 2) == [.saved("s"), .fetched(1)])
        connection.accept(.watch(2))
        #expect(await events.wait(for: 4).suffix(2) == [.tick(0), .tick(1)])
        connection.accept(.hold(1))
        connection.accept(.hold(2))
        connection.accept(.stop(2))
        #expect(told.values == ["l", "stopped 2"])
        connection.dispose()
        #expect(told.values == ["l", "stopped 2", "stopped 1"])
    }

    @Test func `policies hold for the effects of one case`() {
        let callbacks = Recorder<EffectCallback<String>>()
        let router = EffectRouter<Effect, String> { effect in
            EffectAction.to { callback in
                callback.send("\(effect)")
                callbacks.record(callback)
                return EmptyDisposable()
            }.executing(.sequentially)
        }
        let events = Recorder<String>()
        let connection = router.connect { events.record($0) }
        for effect in [Effect.hold(1), .hold(2), .fetch(1), .fetch(2)] { connection.accept(effect) }
        #expect(events.values == ["hold(1)", "fetch(1)"])
        callbacks.values[0].end()
        #expect(events.values == ["hold(1)", "fetch(1)", "hold(2)"])
        connection.dispose()
    }

    @Test func `handlers with parameters, queues and errors`() async {
        struct Failure: Error {}
        let queue = DispatchQueue(label: "actions")
        let key = DispatchSpecificKey<String>()
        queue.setSpecific(key: key, value: "on the queue")
        let handler = AnyEffectHandler<Int, String> { number, callback in
            callback.end(with: "handled \(number)")
            return EmptyDisposable()
        }
        let router = EffectRouter<Effect, String> { effect in
            switch effect {
            case .hold(let number): .to(handler, with: number)
            case .fetch: EffectAction.toEvent { DispatchQueue.getSpecific(key: key) ?? "elsewhere" }.on(queue: queue)
            case .watch(let count):
                .toEvents {
                    AsyncThrowingStream<String, any Error> { continuation in
                        continuation.yield("\(count)")
                        continuation.finish(throwing: Failure())
                    }
                } onError: {
                    "failed: \($0 is Failure)"
                }
            case .save, .log, .stop, .idle: .nothing
            }
        }
        let events = Recorder<String>()
        let connection = router.connect { events.record($0) }
        connection.accept(.hold(7))
        connection.accept(.fetch(1))
        #expect(await events.wait(for: 2) == ["handled 7", "on the queue"])
        connection.accept(.watch(3))
        #expect(await events.wait(for: 4).suffix(2) == ["3", "failed: true"])
        connection.dispose()
    }

    @Test func `another route for an effect is one too many`() {
        let router = router().routeCase(.idle).to {}
        #expect(router.outcome(for: .idle) == .many(2))
        #expect(router.outcome(for: .save("")) == .handler)
        #expect(router.outcome(for: .stop(1)) == .cancels)
    }
}
