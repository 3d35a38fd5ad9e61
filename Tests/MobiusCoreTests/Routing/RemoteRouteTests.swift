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
