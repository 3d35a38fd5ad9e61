import FleetTestSupport
import TestTraits
import Testing

/// A worker whose author forgot the handlers.
@Suite(.patient)
struct BareWorkerTests {
    @Test func itSaysWhatToWriteAndExitsWith70() async throws {
        // Nobody listens there: it does not get that far.
        let worker = try TestProcess("bare-worker", ["--connect", "ipc://\(try TestFolder().file("s"))"])
        #expect(try await worker.end() == .exited(70))
        let said = worker.errors.elements.joined(separator: "\n")
        #expect(said == "Error: BareWorker has no handlers: write `handler`, or `handlers` for several programs.")
    }
}
