import Dispatch
import MobiusCore
import TestTraits
import Testing

/// Handlers that return a disposable without keeping their callback: under way until they are stopped.
@Suite(.patient) struct HandlerTeardownTests {
    enum Effect: Equatable { case work, cancel }
    typealias Router = EffectRouter<Effect, String>

    /// Every way in which a router starts a handler.
    enum Way: CaseIterable {
        case byCase, byFunction, exhaustive, effectHandler, queue, sequentially, cancellable

        func router(_ told: Recorder<String>, _ callbacks: Recorder<EffectCallback<String>>? = nil) -> Router {
            let handle: @Sendable (EffectCallback<String>) -> any Disposable = { callback in
                callbacks?.record(callback)
                told.record("start")
                return AnonymousDisposable { told.record("stop") }
            }
            let byCase = Router().routeCase(Effect.work)
            switch self {
            case .byCase: return byCase.to { _, callback in handle(callback) }
            case .byFunction:
                return Router().routeEffects(withParameters: { $0 == .work ? () : nil }).to { _, callback in
                    handle(callback)
                }
            case .exhaustive: return Router { _ in .to { callback in handle(callback) } }
            case .effectHandler:
                return byCase.to(AnyEffectHandler<Void, String> { _, callback in handle(callback) })
            case .queue: return byCase.on(queue: DispatchQueue(label: "work")).to { _, callback in handle(callback) }
            case .sequentially: return byCase.executing(.sequentially).to { _, callback in handle(callback) }
            case .cancellable:
                return byCase.to { _, callback in handle(callback) }.routeCase(Effect.cancel).cancels { _, effect in
                    effect == .work
                }
            }
        }
    }

    private let told = Recorder<String>()

    /// Waits until the handler has begun, and checks that nothing has stopped it.
    private func hasBegun() async {
        #expect(await told.wait(for: 1) == ["start"])
    }

    private func loop(_ way: Way) -> MobiusLoop<Int, String, Effect> {
        Mobius.loop(
            update: { (_: Int, _: String) -> Next<Int, Effect> in .dispatchEffects([.work]) },
            effectHandler: way.router(told)
        ).start(from: 0)
    }

    @Test(arguments: Way.allCases)
    func `a callback that is kept has ended once the connection has`(way: Way) async throws {
        let callbacks = Recorder<EffectCallback<String>>()
        let connection = way.router(told, callbacks).connect { _ in }
        connection.accept(.work)
        await hasBegun()
        let callback = try #require(callbacks.values.first)
        #expect(!callback.ended)
        connection.dispose()
        #expect(callback.ended)
    }

    @Test(arguments: Way.allCases) func `dispose of the connection stops them`(way: Way) async {
        let connection = way.router(told).connect { _ in }
        connection.accept(.work)
        await hasBegun()
        connection.dispose()
        #expect(await told.wait(for: 2) == ["start", "stop"])
    }

    @Test(arguments: Way.allCases) func `releasing the connection stops them`(way: Way) async {
        var connection: Connection<Effect>? = way.router(told).connect { _ in }
        connection?.accept(.work)
        await hasBegun()
        connection = nil
        #expect(await told.wait(for: 2) == ["start", "stop"])
    }

    @Test(arguments: Way.allCases) func `dispose of the loop stops them`(way: Way) async {
        let loop = loop(way)
        loop.dispatchEvent("work")
        await hasBegun()
        loop.dispose()
        #expect(await told.wait(for: 2) == ["start", "stop"])
    }

    @Test(arguments: Way.allCases) func `releasing the loop stops them`(way: Way) async {
        var loop: MobiusLoop<Int, String, Effect>? = loop(way)
        loop?.dispatchEvent("work")
        await hasBegun()
        loop = nil
        #expect(await told.wait(for: 2) == ["start", "stop"])
    }

    @Test func `an effect that cancels stops them`() async {
        let connection = Way.cancellable.router(told).connect { _ in }
        connection.accept(.work)
        await hasBegun()
        connection.accept(.cancel)
        #expect(told.values == ["start", "stop"])
        connection.dispose()
        #expect(told.values == ["start", "stop"])
    }

    @Test func `a newer effect stops them`() {
        let connection = Router().routeCase(Effect.work).executing(.cancelPrevious).to { [told] _, _ in
            told.record("start")
            return AnonymousDisposable { told.record("stop") }
        }.connect { _ in }
        connection.accept(.work)
        connection.accept(.work)
        #expect(told.values == ["start", "start", "stop"] || told.values == ["start", "stop", "start"])
        connection.dispose()
        #expect(told.values.count == 4)
    }

    @Test func `in turns, the next waits for their end`() {
        let connection = Way.sequentially.router(told).connect { _ in }
        connection.accept(.work)
        connection.accept(.work)
        #expect(told.values == ["start"])
        connection.dispose()
        #expect(told.values == ["start", "stop"])
    }

    /// Something that a handler's disposable holds.
    private final class Resource: Sendable {
        private let told: Recorder<String>

        init(_ told: Recorder<String>) { self.told = told }

        deinit { told.record("released") }
    }

    @Test(arguments: [false, true], ["end", "dispose", "cancel"])
    func `nothing of them is kept afterwards`(inTurns: Bool, how: String) {
        let callbacks = Recorder<EffectCallback<String>>()
        let told = told
        var route = Router().routeCase(Effect.work)
        if inTurns { route = route.executing(.sequentially) }
        var router = route.to { _, callback in
            if how == "end" { callbacks.record(callback) }
            let resource = Resource(told)
            return AnonymousDisposable { _ = (resource, callback) }
        }
        if how == "cancel" { router = router.routeCase(Effect.cancel).cancels { _, effect in effect == .work } }
        let connection = router.connect { _ in }
        connection.accept(.work)
        #expect(told.values == [])
        switch how {
        case "end": callbacks.values[0].end()
        case "dispose": connection.dispose()
        default: connection.accept(.cancel)
        }
        #expect(told.values == ["released"])
        connection.dispose()
    }

    @Test func `one that has nothing to stop ends when its callback is released`() {
        let connection = Router().routeCase(Effect.work).executing(.sequentially).to { [told] _, _ in
            told.record("start")
            return EmptyDisposable()
        }.connect { _ in }
        connection.accept(.work)
        connection.accept(.work)
        #expect(told.values == ["start", "start"])
        connection.dispose()
    }
}
