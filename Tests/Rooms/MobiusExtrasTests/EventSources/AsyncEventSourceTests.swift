import Dispatch
import FleetTestSupport
import MobiusCore
import MobiusExtras
import Testing

@Suite struct AsyncEventSourceTests {
    private struct Broken: Error {}

    @Test func `elements are events, and each subscription runs the sequence anew`() async throws {
        let source = AsyncEventSource {
            AsyncStream<Int> { continuation in
                for number in 1...3 { continuation.yield(number) }
                continuation.finish()
            }
        }
        let events = Journey<Int>()
        for round in 1...2 {
            let subscription = source.subscribe { events.add($0) }
            try await events.wait { $0.count == 3 * round }
            subscription.dispose()
        }
        #expect(events.elements == [1, 2, 3, 1, 2, 3])
    }

    @Test func `disposing of it cancels the sequence, and nothing follows`() async throws {
        let (stream, continuation) = AsyncStream<Int>.makeStream()
        let story = Journey<String>()
        continuation.onTermination = { _ in story.add("cancelled") }
        let subscription = AsyncEventSource { stream }.subscribe { story.add("\($0)") }
        continuation.yield(1)
        try await story.wait { $0 == ["1"] }
        subscription.dispose()
        continuation.yield(2)
        try await story.wait { $0.count > 1 }
        #expect(story.elements == ["1", "cancelled"])
    }

    @Test func `dispose waits for a delivery under way`() async throws {
        let (entered, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let story = Journey<String>()
        let subscription = AsyncEventSource {
            AsyncStream<Int> { continuation in continuation.yield(1) }
        }.subscribe { _ in
            entered.signal()
            _ = mayGoOn.waitPatiently()
            story.add("delivered")
        }
        let disposed = onAnotherThread {
            _ = entered.waitPatiently()
            subscription.dispose()
            story.add("disposed")
        }
        #expect(disposed.staysSilent())
        mayGoOn.signal()
        try await story.wait { $0.count == 2 }
        #expect(story.elements == ["delivered", "disposed"])
    }

    @Test func `a sequence that throws has ended`() async throws {
        let events = Journey<Int>()
        let subscription = AsyncEventSource {
            AsyncThrowingStream<Int, any Error> { continuation in
                continuation.yield(1)
                continuation.finish(throwing: Broken())
            }
        }.subscribe { events.add($0) }
        try await events.wait { $0 == [1] }
        subscription.dispose()
    }
}
