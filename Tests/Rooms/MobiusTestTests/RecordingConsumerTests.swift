import Foundation
import MobiusCore
import MobiusTest
import Testing

/// A consumer that keeps what it is given.
@Suite struct RecordingConsumerTests {
    @Test func `it keeps the models of a loop, in order`() {
        let models = RecordingConsumer<Int>()
        let loop = Mobius.loop(
            update: { (model: Int, event: Int) -> Next<Int, Never> in .next(model + event) },
            effectHandler: EffectRouter<Never, Int>()
        ).start(from: 0)
        loop.addObserver(models.accept)
        for event in 1...3 { loop.dispatchEvent(event) }
        #expect(models.values == [0, 1, 3, 6])
        models.clear()
        loop.dispatchEvent(4)
        #expect(models.values == [10])
    }

    @Test func `it waits for values of other threads`() async {
        let values = RecordingConsumer<Int>()
        Thread.detachNewThread {
            for value in 1...3 { values.accept(value) }
        }
        #expect(await values.wait(for: 3) == [1, 2, 3])
    }

    @Test func `values that do not come fail the test`() async {
        let values = RecordingConsumer<Int>()
        values.accept(7)
        let line = #line
        await withKnownIssue {
            await values.wait(for: 2, within: .milliseconds(20))
        } matching: { issue in
            issue.sourceLocation?.line == line + 2
                && issue.comments.first?.rawValue
                    == "After 0.02 seconds 2 values had not come. Those so far:\n  [7]"
        }
    }
}
