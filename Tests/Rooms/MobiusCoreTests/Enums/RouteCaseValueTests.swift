import MobiusCore
import Testing

/// Routes to values instead of cases, and `routeCase` as a value itself.
@Suite struct RouteCaseValueTests {
    typealias Texts<Effect> = EffectRouter<Effect, String>

    @Test func `values with payload of an Equatable enum go by equality`() {
        enum Effect: Equatable { case a(String), b }
        let router = Texts<Effect>()
            .routeCase(.a("x")).toEvent { "x" }
            .routeCase(.a("y")).toEvent { "y" }
            .routeCase(.b).toEvent { "b" }
        #expect(router.eventsTwice(for: .a("y"), .b, .a("x")) == ["y", "b", "x"])
        #expect(router.outcome(for: .a("z")) == .none)
    }

    @Test func `values of a structure go by equality, with its own ==`() {
        struct Effect: Equatable {
            var path: String
            static func == (one: Effect, other: Effect) -> Bool { one.path.lowercased() == other.path.lowercased() }
        }
        let router = Texts<Effect>()
            .routeCase(Effect(path: "/a")).toEvent { "a" }
            .routeCase(Effect(path: "/b")).toEvent { "b" }
        #expect(router.eventsTwice(for: Effect(path: "/B"), Effect(path: "/a")) == ["b", "a"])
        #expect(router.outcome(for: Effect(path: "/c")) == .none)
    }

    @Test func `a case without payload is known by its case, whatever == says`() {
        enum Effect: Equatable {
            case a, b
            static func == (_: Effect, _: Effect) -> Bool { true }
        }
        let router = Texts<Effect>().routeCase(.a).toEvent { "a" }.routeCase(.b).toEvent { "b" }
        #expect(router.eventsTwice(for: .b, .a) == ["b", "a"])
    }

    @Test func `routeCase may be passed as a function`() {
        enum Effect { case text(String), plain }
        let router = Texts<Effect>()
        let text: (@escaping @Sendable (String) -> Effect) -> _PartialEffectRouter<Effect, String, String> =
            router.routeCase
        let plain: (Effect) -> _PartialEffectRouter<Effect, Void, String> = router.routeCase
        #expect(text(Effect.text).toEvent { $0 }.eventsTwice(for: .text("t")) == ["t"])
        #expect(plain(.plain).toEvent { "plain" }.eventsTwice(for: .plain) == ["plain"])
    }
}
