import Foundation
public import MobiusCore
import MobiusDriver
import MobiusEngine
import MobiusProgram
import MobiusRuntime
import MobiusTracing
public import MobiusWire

/// A running loop, for code in the coordinating process that is not an effect handler.
public struct LoopHandle<Program: LoopProgram>: Sendable {
    /// Which loop.
    public let id: LoopID
    let setting: Setting

    /// What the handles of all loops share.
    struct Setting: Sendable {
        let requests: Requests
        let watchers: LoopWatchers<Program.Model>
        let watch: @Sendable (LoopID) -> Void
        let post: @Sendable (RequestID, LoopID, _ key: String, Payload) -> Void
        let events = ProgramCodings<Program>().events
    }

    /// Another loop of the same program, with a model of its own, in the same journal.
    ///
    /// A coordinator runs any number of loops, such as one for each order. `main` is always there; any other begins, with
    /// `initiate`, when the first event is sent to it, and is there after every restart.
    public func sibling(_ id: LoopID) -> LoopHandle {
        LoopHandle(id: id, setting: setting)
    }

    /// Another loop of the same program: see ``sibling(_:)-(LoopID)``.
    ///
    /// - Parameter name: 1…128 bytes of UTF-8; others are a programmer error. Make a `LoopID` of names that users choose.
    public func sibling(_ name: String) -> LoopHandle {
        guard let id = LoopID(name) else {
            preconditionFailure("The name of a loop has 1 to \(LoopID.maximumLength) bytes: \"\(name)\" has not.")
        }
        return sibling(id)
    }

    /// The models of the loop, each of which is on disk: the current one first, then those to come.
    ///
    /// Every call makes a stream of its own, which keeps the newest model only, so whoever is slow misses some in
    /// between. A model is shown before ``send(_:key:)`` of its event returns, unless the disk is very slow. A stream
    /// made before the loop runs waits for its first model; each ends when the coordinator stops. Watching costs copies
    /// of what an update in place changes; not watching costs nothing.
    public var models: AsyncStream<Program.Model> {
        let stream = setting.watchers.watchers(of: id).stream()
        setting.watch(id)
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
    /// May be called from any task, also before the coordinator runs. The first event of a loop begins it. The effects that the
    /// event asks for belong to the trace of the calling task, if the process traces (swift-distributed-tracing).
    ///
    /// - Parameters:
    ///   - event: What happened.
    ///   - key: Makes repeated sending safe: of all events with one key, over all starts of the coordinator, the first
    ///     is applied and the others are only confirmed. Each loop remembers the newest million keys. `nil` draws a new
    ///     key.
    /// - Throws: ``CoordinatorError`` when the event was not taken. After any error it is not known to be applied.
    public func send(_ event: Program.Event, key: String? = nil) async throws {
        let payload: Payload
        do {
            payload = try setting.events.encode(event)
        } catch {
            throw CoordinatorError(.invalidEvent, "The event cannot be written: \(error).", underlying: error)
        }
        let key = key ?? UUID().uuidString
        let traceparent = TraceParent.current
        try await withCheckedThrowingContinuation { continuation in
            guard let request = setting.requests.open(continuation, traceparent: traceparent) else { return }
            setting.post(request, id, key, payload)
        }
    }
}
