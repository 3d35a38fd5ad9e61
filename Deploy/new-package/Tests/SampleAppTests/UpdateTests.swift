import MobiusCore
import MobiusTest
import SampleApp
import Testing

/// What `update` decides.
struct UpdateTests {
    private let spec = UpdateSpec(SampleApp.update)

    @Test func anItemIsProcessed() {
        spec
            .given(SampleApp.Model())
            .when(.added(item: "apple"))
            .then(assertThatNext(hasModel(SampleApp.Model()), hasOnlyEffects([.process(item: "apple")])))
    }

    @Test func anItemWithAResultIsNotProcessedAgain() {
        spec
            .given(SampleApp.Model(results: ["apple": "APPLE"]))
            .when(.added(item: "apple"))
            .then(assertThatNext(hasNothing()))
    }
}
