import MobiusCore
import MobiusTest
import Testing

struct PlainTests {
    private static func update(_ model: Int, _ event: Int) -> Next<Int, String> {
        event == 0 ? .dispatchEffects(["ring"]) : .next(model + event)
    }

    @Test func anUpdateIsTestedByTheLoopAlone() {
        UpdateSpec(Self.update).given(1).when(2, 0).then(assertThatNext(hasOnlyEffects(["ring"])))
    }
}
