import TestTraits
import Testing

/// Without the trait its tests would run where all others do, and nobody would notice.
@Suite("Threads of tests' own", .ownThread)
struct OwnThreadTests {
    @Test("a test runs on the executor that it was given")
    func executor() {
        #expect(withUnsafeCurrentTask { $0?.unownedTaskExecutor != nil })
    }
}
