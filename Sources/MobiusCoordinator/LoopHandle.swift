import Foundation
public import MobiusCore
import MobiusEngine
import MobiusRuntime
import MobiusWire

/// A running loop, for code in the coordinating process that is not an effect handler.
public struct LoopHandle<Program: LoopProgram>: Sendable {
    let loop: LoopID
    let requests: Requests
    let watchers: ModelWatchers<Program.Model>
    let watch: @Sendable () -> Void
    let post: @Sendable (RequestID, LoopID, _ key: String, Payload) -> Void
    private let events = TypedCoding<Program.Event>.json()

    init(
        loop: LoopID, requests: Requests, watchers: ModelWatchers<Program.Model>,
        watch: @escaping @Sendable () -> Void,
        post: @escaping @Sendable (RequestID, LoopID, _ key: String, Payload) -> Void
    ) {
        self.loop = loop
        self.requests = requests
        self.watchers = watchers
        self.watch = watch
        self.post = post
    }

    /// The models of the loop, each of which is on disk: the current one first, then those to come.
    ///
    /// Every call makes a stream of its own, which keeps the newest model only, so whoever is slow misses some in
    /// between. A model is shown before ``send(_:key:)`` of its event returns, unless the disk is very slow. A stream
    /// made before the coordinator runs waits for the model that the journal holds; each ends when the coordinator
    /// stops. Watching costs copies of what an update in place changes; not watching costs nothing.
    public var models: AsyncStream<Program.Model> {
        let stream = watchers.stream()
        watch()
        return stream
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
