import Counter
import MobiusCore
import MobiusTest
import Testing

/// The program's decisions, as dialogues.
struct CounterTests {
    private typealias Model = Counter.Model

    private let spec = UpdateSpec(Counter.update)

    @Test func countingBeginsAtZero() {
        #expect(Counter.initiate() == First(model: Model(count: 0)))
    }

    @Test func plusIsOneMore() {
        spec
            .given(Model(count: 41))
            .when(.increment)
            .then(assertThatNext(hasModel(Model(count: 42)), hasNoEffects()))
    }

    @Test func minusIsOneLess() {
        spec
            .given(Model(count: 1))
            .when(.decrement)
            .then(assertThatNext(hasModel(Model(count: 0)), hasNoEffects()))
    }

    @Test func belowZeroIsASoundAndNothingElse() {
        spec
            .given(Model(count: 1))
            .when(.decrement, .decrement)
            .then(assertThatNext(hasNoModel(), hasExactlyEffects([.playSound])))
    }

    @Test func aSoundThatFailedIsTold() {
        spec
            .given(Model(count: 0))
            .when(.decrement, .soundFailed("no sound card"))
            .then(assertThatNext(hasModel(Model(count: 0, complaint: "no sound card")), hasNoEffects()))
    }

    @Test func aComplaintEndsWithTheNextCount() {
        spec
            .given(Model(count: 0))
            .when(.soundFailed("no sound card"), .increment)
            .then(assertThatNext(hasModel(Model(count: 1)), hasNoEffects()))
    }

    @Test func aNewRunHasTheCountAndNoOldComplaint() {
        InitSpec(Counter.resume)
            .when(Model(count: 7, complaint: "timed out"))
            .then(assertThatFirst(hasModel(Model(count: 7)), hasNoEffects()))
    }
}
