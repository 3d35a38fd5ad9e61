import MobiusCore
import MobiusTest
import Testing

/// What the matchers of models and effects accept, and what they say of the rest.
@Suite struct MatcherTests {
    struct Model: Equatable {
        var name = "Ada"
        var numbers = [1, 2, 3]
    }
    typealias Next = MobiusCore.Next<Model, String>
    typealias First = MobiusCore.First<Model, String>

    private func next(_ predicate: NextPredicate<Model, String>, _ next: Next) -> String? { predicate(next).message }
    private func first(_ predicate: FirstPredicate<Model, String>, _ first: First) -> String? {
        predicate(first).message
    }

    @Test func `a model that equals the expected one`() {
        #expect(next(hasModel(Model()), .next(Model())) == nil)
        #expect(first(hasModel(Model()), First(model: Model())) == nil)
    }

    @Test func `a model that differs, with what differs`() {
        let message = """
            The model is not the one expected.
            (− expected, + actual)
            − Model(name: "Ada", numbers: [1, 2, 3])
            + Model(name: "Bob", numbers: [1, 2, 3])
            """
        #expect(next(hasModel(Model()), .next(Model(name: "Bob"))) == message)
        #expect(first(hasModel(Model()), First(model: Model(name: "Bob"))) == message)
    }

    @Test func `no model where one is expected`() {
        #expect(
            next(hasModel(Model()), .noChange) == """
                Expected a model, but the event has set none.
                  expected: Model(name: "Ada", numbers: [1, 2, 3])
                  actual: none
                """)
        #expect(next(hasModel(), .noChange) == "Expected a model, but the event has set none.")
        #expect(next(hasModel(), .next(Model())) == nil)
    }

    @Test func `a model where none is expected`() {
        let message = """
            Expected no model, but the event has set one.
              actual: Model(name: "Ada", numbers: [1, 2, 3])
            """
        #expect(next(hasNoModel(), .next(Model())) == message)
        #expect(next(hasNothing(), .next(Model())) == message)
        #expect(next(hasNoModel(), .dispatchEffects(["a"])) == nil)
    }

    @Test func `effects where none are expected`() {
        let message = """
            Expected no effects, but there are some.
              actual: ["a", "b"]
            """
        #expect(next(hasNoEffects(), .dispatchEffects(["a", "b"])) == message)
        #expect(next(hasNothing(), .dispatchEffects(["a", "b"])) == message)
        #expect(first(hasNoEffects(), First(model: Model(), effects: ["a", "b"])) == message)
        #expect(next(hasNoEffects(), .next(Model())) == nil)
        #expect(next(hasNothing(), .noChange) == nil)
        #expect(first(hasNoEffects(), First(model: Model())) == nil)
    }

    @Test func `some of the effects, in any order`() {
        #expect(next(hasEffects(["c", "a"]), .dispatchEffects(["a", "b", "c"])) == nil)
        #expect(next(hasEffects([]), .noChange) == nil)
        #expect(first(hasEffects(["a"]), First(model: Model(), effects: ["b", "a"])) == nil)
        #expect(
            next(hasEffects(["a", "a"]), .dispatchEffects(["a", "b"])) == """
                Expected effects are missing:
                  missing: ["a"]
                  actual: ["a", "b"]
                """)
        let message = """
            Expected effects are missing:
              missing: ["x"]
              actual: ["a", "b"]
            """
        #expect(next(hasEffects(["a", "x"]), .dispatchEffects(["a", "b"])) == message)
        #expect(first(hasEffects(["a", "x"]), First(model: Model(), effects: ["a", "b"])) == message)
    }

    @Test func `all of the effects, in any order, each as often`() {
        #expect(next(hasOnlyEffects(["b", "a", "a"]), .dispatchEffects(["a", "b", "a"])) == nil)
        #expect(first(hasOnlyEffects(["b", "a"]), First(model: Model(), effects: ["a", "b"])) == nil)
        let message = """
            The effects are not those expected:
              missing: ["x"]
              unexpected: ["b", "a"]
            (− expected, + actual)
            − ["a", "x"]
            + ["a", "b", "a"]
            """
        #expect(next(hasOnlyEffects(["a", "x"]), .dispatchEffects(["a", "b", "a"])) == message)
        #expect(first(hasOnlyEffects(["a", "x"]), First(model: Model(), effects: ["a", "b", "a"])) == message)
    }

    @Test func `all of the effects, in order`() {
        #expect(next(hasExactlyEffects(["a", "b"]), .dispatchEffects(["a", "b"])) == nil)
        #expect(first(hasExactlyEffects(["a", "b"]), First(model: Model(), effects: ["a", "b"])) == nil)
        let message = """
            The effects are those expected, in another order.
            (− expected, + actual)
            − ["a", "b"]
            + ["b", "a"]
            """
        #expect(next(hasExactlyEffects(["a", "b"]), .dispatchEffects(["b", "a"])) == message)
        #expect(first(hasExactlyEffects(["a", "b"]), First(model: Model(), effects: ["b", "a"])) == message)
        #expect(
            next(hasExactlyEffects(["a"]), .noChange) == """
                The effects are not those expected:
                  missing: ["a"]
                (− expected, + actual)
                − ["a"]
                + []
                """)
    }

    @Test func `each predicate that fails is reported, at its own line`() {
        let failures = Failures()
        let line: UInt = #line
        UpdateSpec<Model, String, String> { _, _ in .next(Model(), effects: ["a"]) }
            .given(Model())
            .when("event")
            .then(
                assertThatNext(
                    hasNoModel(),
                    hasModel(),
                    hasNoEffects(),
                    failFunction: failures.record))
        #expect(failures.messages.count == 2)
        #expect(failures.lines == [line + 6, line + 8])
    }
}
