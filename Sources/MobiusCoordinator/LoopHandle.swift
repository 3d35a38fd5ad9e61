import Foundation
public import MobiusCore
import MobiusEngine
import MobiusRuntime
import MobiusWire

/// A running loop, for code in the coordinating process that is not an effect handler.
public struct LoopHandle<Program: LoopProgram>: Sendable {
    let loop: LoopID
    let requests: Requests
    let post: @Sendable (RequestID, LoopID, _ key: String, Payload) -> Void
    private let events = TypedCoding<Program.Event>.json()

    init(
        loop: LoopID, requests: Requests,
        post: @escaping @Sendable (RequestID, LoopID, _ key: String, Payload) -> Void
    ) {
        self.loop = loop
        self.requests = requests
        self.post = post
    }

    /// Waits until the process is told to stop; throws `CancellationError` then.
    public func untilStopped() async throws {
        let (never, continuation) = AsyncStream.makeStream(of: Never.self)
        for await _ in never {}  // until cancellation ends it
        withExtendedLifetime(continuation) {}
        try Task.checkCancellation()
    }

    /// Sends an event from outside the effects, and returns when it is applied and on disk.
    ///
    /// May be called from any task, also before the coordinator runs.
    ///
    /// - Parameters:
    ///   - event: What happened.
    ///   - key: Makes repeated sending safe: of all events with one key, over all starts of the coordinator, the first
    ///     is applied and the others are only confirmed. The newest million keys are remembered. `nil` draws a new key.
    /// - Throws: ``CoordinatorError`` when the event was not taken. After any error it is not known to be applied.
    public func send(_ event: Program.Event, key: String? = nil) async throws {
        let payload: Payload
        do {
            payload = try events.encode(event)
        } catch {
            throw CoordinatorError(.invalidEvent, "The event cannot be written: \(error).", underlying: error)
        }
        let key = key ?? UUID().uuidString
        try await withCheckedThrowingContinuation { continuation in
            guard let request = requests.open(continuation) else { return }
            post(request, loop, key, payload)
        }
    }
}
