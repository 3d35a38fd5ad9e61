import Counter
import MobiusCore
import Testing

/// The program's decisions, as dialogues.
struct CounterTests {
    private typealias Model = Counter.Model

    @Test func countingBeginsAtZero() {
        #expect(Counter.initiate() == First(model: Model(count: 0)))
    }

    @Test func plusIsOneMore() {
        #expect(Counter.update(Model(count: 41), .increment) == .next(Model(count: 42)))
    }

    @Test func minusIsOneLess() {
        #expect(Counter.update(Model(count: 1), .decrement) == .next(Model(count: 0)))
    }

    @Test func belowZeroIsASoundAndNothingElse() {
        #expect(Counter.update(Model(count: 0), .decrement) == .dispatchEffects([.playSound]))
    }

    @Test func aSoundThatFailedIsToldUntilTheNextCount() {
        let silent = Model(count: 0, complaint: "no sound card")
        #expect(Counter.update(Model(count: 0), .soundFailed("no sound card")) == .next(silent))
        #expect(Counter.update(silent, .increment) == .next(Model(count: 1)))
    }

    @Test func aNewRunHasTheCountAndNoOldComplaint() {
        #expect(Counter.resume(Model(count: 7, complaint: "timed out")) == First(model: Model(count: 7)))
    }
}
