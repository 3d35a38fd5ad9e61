import MobiusCore
import MobiusTest
import Testing

/// Dialogues with update and initiate functions.
@Suite struct SpecTests {
    @Sendable private static func update(_ model: Int, _ event: Int) -> Next<Int, String> {
        switch event {
        case 0: .noChange
        case ..<0: .dispatchEffects(["negative \(event)"])
        default: .next(model + event, effects: ["added \(event)"])
        }
    }

    private static let updateInPlace = Update<Int, Int, String>(inPlace: { model, event in
        model += event
        return .next(effects: ["added \(event)"])
    })

    @Test func `an event, and what it did`() {
        UpdateSpec(Self.update).given(1).when(2).then { result in
            #expect(result.model == 3)
            #expect(result.lastNext == .next(3, effects: ["added 2"]))
        }
    }

    @Test func `several events, each on the model of the one before; the last one's result`() {
        UpdateSpec(Self.update).given(1).when(2, 3, -1).then { result in
            #expect(result.model == 6)
            #expect(result.lastNext == .dispatchEffects(["negative -1"]))
        }
        UpdateSpec(Update(Self.update)).given(1).when(2, 3).then(
            assertThatNext(hasModel(6), hasExactlyEffects(["added 3"])))
    }

    @Test func `an in-place update is tested alike`() {
        UpdateSpec(Self.updateInPlace).given(1).when(2, 3).then(
            assertThatNext(hasModel(6), hasExactlyEffects(["added 3"])))
    }

    @Test func `a spec may be asked several times`() {
        let given = UpdateSpec(Self.update).given(1)
        given.when(1).then { #expect($0.model == 2) }
        given.when(2).then { #expect($0.model == 3) }
    }

    @Test func `where a loop starts`() {
        let spec = InitSpec<Int, String> { model in First(model: model + 1, effects: ["load"]) }
        spec.when(1).then(assertThatFirst(hasModel(2), hasExactlyEffects(["load"])))
        spec.when(2).then { first in #expect(first == First(model: 3, effects: ["load"])) }
    }

    @Test func `a start that is not as expected is reported`() {
        let failures = Failures()
        InitSpec<Int, String> { First(model: $0) }.when(1).then(
            assertThatFirst(hasModel(2), hasEffects(["load"]), failFunction: failures.record))
        #expect(failures.messages.count == 2)
    }
}
