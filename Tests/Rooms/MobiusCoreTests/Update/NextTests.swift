import MobiusCore
import Testing

@Suite struct NextTests {
    enum Effect: Equatable { case ring(String), stop }

    @Test func `next has a model and effects in order`() {
        let next = Next<String, Effect>.next("m", effects: [.ring("a"), .stop])
        #expect(next.model == "m")
        #expect(next.effects == [.ring("a"), .stop])
        #expect(Next<String, Effect>.next("m").effects.isEmpty)
    }

    @Test func `dispatching effects and changing nothing leave the model alone`() {
        #expect(Next<String, Effect>.dispatchEffects([.stop]).model == nil)
        #expect(Next<String, Effect>.dispatchEffects([.stop]).effects == [.stop])
        #expect(Next<String, Effect>.noChange.model == nil)
        #expect(Next<String, Effect>.noChange.effects.isEmpty)
    }

    @Test func `equality compares model and effects`() {
        #expect(Next<Int, Effect>.next(1) == .next(1))
        #expect(Next<Int, Effect>.next(1) != .next(2))
        #expect(Next<Int, Effect>.next(1) != .noChange)
        #expect(Next<Int, Effect>.next(1, effects: [.stop]) != .next(1))
        #expect(Next<Int, Effect>.dispatchEffects([]) == .noChange)
    }

    @Test func `the text is a pair of model and effects`() {
        #expect(String(reflecting: Next<String, Int>.next("m", effects: [1, 2])) == #"("m", [1, 2])"#)
        #expect(String(describing: Next<String, String>.next("m", effects: ["e"])) == #"("m", ["e"])"#)
        #expect(String(reflecting: Next<String, Int>.dispatchEffects([3])) == "(nil, [3])")
        #expect(String(reflecting: Next<String, Int>.noChange) == "(nil, [])")
        #expect(String(reflecting: Next<Int?, Int>.next(nil)) == "(nil, [])")
    }

    @Test func `First has two stored properties and nothing else`() {
        let first = First<String, Effect>(model: "m", effects: [.stop])
        #expect(first.model == "m")
        #expect(first.effects == [.stop])
        #expect(First<String, Effect>(model: "m").effects.isEmpty)
        #expect(Mirror(reflecting: first).children.map(\.label) == ["model", "effects"])
    }
}
