import MobiusCore
import Testing

/// What coordinator and worker ask a router.
@Suite struct ResolveTests {
    enum Effect: Equatable { case near(Int), far(String), both, unrouted }
    typealias Router = EffectRouter<Effect, String>

    struct Policy: Sendable, Equatable { var pool: String }
    struct Failure: Sendable { var reason: String }

    private let router = Router()
        .routeCase(Effect.near).toEvent { "\($0)" }
        .routeCase(Effect.far).toRemote(policy: { _ in Policy(pool: "far away") }) { text, failure in
            "\(text) failed: \((failure as? Failure)?.reason ?? "?")"
        }
        .routeCase(.both).to {}
        .routeEffects(equalTo: .both).to { _ in }

    @Test func `an effect has one route, none, or too many`() {
        #expect(router.outcome(for: .near(1)) == .handler)
        #expect(router.outcome(for: .far("f")) == .remote)
        #expect(router.outcome(for: .unrouted) == .none)
        #expect(router.outcome(for: .both) == .many(2))
    }

    @Test func `a remote route keeps its policy and turns failures into events`() throws {
        let route = try #require(router.remote(for: .far("call")))
        #expect(route.policy as? Policy == Policy(pool: "far away"))
        #expect(route.answer(Failure(reason: "timeout")) == "call failed: timeout")
    }

    @Test func `complaints name the case, never the payload`() throws {
        #expect(router.complaint(about: .near(1)) == nil)
        let unrouted = try #require(Router().complaint(about: .far("secret")))
        #expect(
            unrouted.hasPrefix("No route takes the effect Effect.far. Each effect needs exactly one: add"))
        #expect(!unrouted.contains("secret"))
        let both = try #require(router.complaint(about: .both))
        #expect(both.hasPrefix("2 routes take the effect Effect.both: ResolveTests.swift:"))
    }

    @Test func `routers are values`() {
        let base = Router().routeCase(.both).toEvent { "base" }
        let first = base.routeCase(Effect.near).toEvent { _ in "first" }
        let second = base.routeCase(Effect.near).toEvent { _ in "second" }
        #expect(first.events(for: .near(1), .both) == ["first", "base"])
        #expect(second.events(for: .near(1), .both) == ["second", "base"])
        #expect(base.outcome(for: .near(1)) == .none)
    }

    @Test func `functions see every effect once, beside the cases`() {
        let seen = Recorder<String>()
        let router = Router()
            .routeCase(Effect.near).toEvent { "\($0)" }
            .routeEffects(withParameters: { effect -> String? in
                seen.record("\(effect)")
                guard case .far(let text) = effect else { return nil }
                return text
            }).toEvent { $0 }
            .routeEffects(equalTo: .both).toEvent { "\($0)" }
        #expect(router.events(for: .near(1), .far("f"), .both) == ["1", "f", "both"])
        #expect(seen.values == ["near(1)", #"far("f")"#, "both"])
    }

    @Test func `effects that are no enums go by functions`() {
        let router = EffectRouter<Int, String>()
            .routeEffects(equalTo: 1).toEvent { "one \($0)" }
            .routeCase(2).toEvent { "two" }
            .routeEffects(withParameters: { $0 > 2 ? "\($0)" : nil }).toEvent { "more \($0)" }
        #expect(router.events(for: 1, 2, 3) == ["one 1", "two", "more 3"])
        #expect(router.complaint(about: 0)?.hasPrefix("No route takes the effect Int. ") == true)
    }
}
