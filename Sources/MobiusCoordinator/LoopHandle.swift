import Foundation
public import MobiusCore
import MobiusDriver
import MobiusEngine
import MobiusProgram
import MobiusRuntime
public import MobiusWire

/// A handle to a loop, for code in the coordinator's process that is not an effect handler.
public struct LoopHandle<Program: LoopProgram>: Sendable {
    /// The loop's name.
    public let id: LoopID
    let setting: Setting

    /// The state that the handles of all loops share.
    struct Setting: Sendable {
        let watchers: LoopWatchers<Program.Model>
        let watch: @Sendable (LoopID) -> Void
        let send:
            @Sendable (
                LoopID, _ key: String, Payload, _ traceparent: String,
                CheckedContinuation<EventConfirmation, any Error>
            ) -> Void
        let events = ProgramCodecs<Program>().events
    }

    /// Returns a handle to another loop of the same program, which has its own model, in the same journal.
    ///
    /// A coordinator runs any number of loops, such as one for each order. The loop `main` always exists. Any other
    /// loop starts with `initiate` when the first event is sent to it, and exists after every restart.
    public func loop(_ id: LoopID) -> LoopHandle {
        LoopHandle(id: id, setting: setting)
    }

    /// Returns a handle to another loop of the same program: see ``loop(_:)-(LoopID)``.
    ///
    /// - Parameter name: 1…128 bytes of UTF-8; any other name is a programmer error and traps. For names that users
    ///   choose, make a `LoopID`.
    public func loop(_ name: String) -> LoopHandle {
        guard let id = LoopID(name) else {
            preconditionFailure("The name of a loop has 1 to \(LoopID.maximumLength) bytes: \"\(name)\" has not.")
        }
        return loop(id)
    }

    /// The models of the loop: the current one first, then each later one, always after all its events are on disk.
    ///
    /// Each call makes a new stream, which buffers only the newest model, so a slow reader misses models in between. A
    /// model is yielded before ``send(_:key:)`` of its event returns, unless the disk is very slow. A stream made
    /// before the loop runs waits for the first model. All streams end when the coordinator stops. A watched loop
    /// copies what an update in place changes; without streams there is no such cost.
    public var models: AsyncStream<Program.Model> {
        let stream = setting.watchers.watchers(of: id).stream()
        setting.watch(id)
        return stream
    }

    /// Waits until the calling task is cancelled; ``CoordinatorCommand/run(_:)`` is cancelled when the process stops.
    ///
    /// - Throws: `CancellationError`, always.
    public func untilStopped() async throws {
        let (never, continuation) = AsyncStream.makeStream(of: Never.self)
        for await _ in never {}  // ends by cancellation
        withExtendedLifetime(continuation) {}
        try Task.checkCancellation()
    }

    /// Sends an external event, and returns when it is applied and on disk.
    ///
    /// May be called from any task, also before the coordinator runs. The first event sent to a loop starts it. The
    /// effects that the event requests belong to the trace of the calling task, if the process traces
    /// (swift-distributed-tracing).
    ///
    /// - Parameters:
    ///   - event: The event to apply.
    ///   - key: Makes it safe to repeat a send: of all events with the same key, over all runs of the coordinator, only
    ///     the first is applied; the others are only confirmed. One that says something else, or that a client with a key or
    ///     token of its own has sent, is refused: `conflict`. Each loop remembers its newest million keys. `nil` generates a new key.
    /// - Returns: the event's number, and what a `.toSender` route of the program answered, also to a repetition.
    /// - Throws: ``CoordinatorError``: with the code `refusedByProgram` when a `.refuses` route of the program refused the
    ///   event, which is on disk then; otherwise the event was not accepted, and may or may not have been applied.
    @discardableResult
    public func send(_ event: Program.Event, key: String? = nil) async throws -> SentEvent {
        let payload: Payload
        do {
            payload = try setting.events.encode(event)
        } catch {
            throw CoordinatorError(.invalidEvent, "The event cannot be written: \(error).", underlying: error)
        }
        let key = key ?? UUID().uuidString
        // Longer ones than clients' are fine: they do not leave this process.
        guard !EventKey.isReserved(key) else {
            throw CoordinatorError(.invalidEvent, "The key '\(key)' is for an event between shards: choose another.")
        }
        let traceparent = TraceParent.current
        let confirmation = try await withCheckedThrowingContinuation { continuation in
            setting.send(id, key, payload, traceparent, continuation)
        }
        if case .refusal(let reason) = confirmation.reply { throw CoordinatorError(.refusedByProgram, reason) }
        return SentEvent(confirmation)
    }
}
