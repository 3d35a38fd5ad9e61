import MobiusCore
import Testing

/// Routes to other processes, in a connection that a runtime opens.
@Suite struct RemoteRouteTests {
    enum Effect: Equatable { case far(String), near(String), stop(String) }
    typealias Router = EffectRouter<Effect, String>

    /// Stands for the other processes.
    final class Far: Sendable {
        let sent = Recorder<String>()
        let stopped = Recorder<String>()
        let callbacks = Recorder<EffectCallback<String>>()

        func run(
            _ route: RemoteRoute<String>, _ effect: Effect, _ callback: EffectCallback<String>
        ) -> any Disposable {
            sent.record("\(effect) to \(route.policy)")
            callbacks.record(callback)
            return AnonymousDisposable { self.stopped.record("\(effect)") }
        }
    }

    private let far = Far()
    private let events = Recorder<String>()

    private func connect(_ policy: ExecutionPolicy = .concurrently) -> Connection<Effect> {
        Router()
            .routeCase(Effect.near).toEvent { $0 }
            .routeCase(Effect.far).executing(policy).toRemote(policy: { _ in "pool" }) { text, _ in "\(text) failed" }
            .routeCase(Effect.stop).cancels { text, effect in effect == .far(text) }
            .connect({ [events] in events.record($0) }, remote: { [far] in far.run($0, $1, $2) })
    }

    @Test func `a policy that is the same for all is known by the case, once that was seen`() {
        let router = Router()
            .routeCase(Effect.near).toEvent { $0 }
            .routeCase(Effect.far).toRemote(fixed: "pool") { text, _ in "\(text) failed" }
        #expect(router.fixedPolicy(.far("a")) == nil)
        guard case .one(.remote(let route)) = router.resolve(.far("a")) else {
            Issue.record("The route is not found.")
            return
        }
        #expect(route.policy as? String == "pool")
        #expect(route.answer("news") == "a failed")
        #expect(router.fixedPolicy(.far("b"))?.policy as? String == "pool")
        _ = router.resolve(.near("b"))
        #expect(router.fixedPolicy(.near("b")) == nil)
    }

    @Test func `nor is there one policy for all where effects share their time, or a function takes them`() {
        let shared = Router().routeCase(Effect.far).executing(.sequentially).toRemote(fixed: "pool") { _, _ in nil }
        _ = shared.resolve(.far("a"))
        #expect(shared.fixedPolicy(.far("a")) == nil)
        let function = Router().routeEffects { (effect: Effect) in effect == .far("a") ? "a" : nil }
            .toRemote(fixed: "pool") { _, _ in nil }
        _ = function.resolve(.far("a"))
        #expect(function.fixedPolicy(.far("a")) == nil)
    }

    @Test func `they run beside local handlers, and answer through callbacks`() {
        let connection = connect()
        connection.accept(.far("a"))
        connection.accept(.near("b"))
        #expect(far.sent.values == [#"far("a") to pool"#])
        far.callbacks.values[0].end(with: "answer")
        #expect(events.values == ["b", "answer"])
        connection.dispose()
        #expect(far.stopped.values == [])
    }

    @Test func `dispose stops them`() {
        let connection = connect()
        connection.accept(.far("a"))
        connection.dispose()
        far.callbacks.values[0].end(with: "late")
        #expect(far.stopped.values == [#"far("a")"#])
        #expect(events.values == [])
    }

    @Test func `policies and routes that cancel hold for them`() {
        let connection = connect(.sequentially)
        connection.accept(.far("a"))
        connection.accept(.far("b"))
        #expect(far.sent.values.count == 1)
        connection.accept(.stop("a"))
        #expect(far.stopped.values == [#"far("a")"#])
        #expect(far.sent.values == [#"far("a") to pool"#, #"far("b") to pool"#])
        far.callbacks.values[0].end(with: "late")
        far.callbacks.values[1].end(with: "b")
        #expect(events.values == ["b"])
        connection.dispose()
    }
}
