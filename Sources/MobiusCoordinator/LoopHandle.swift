import Foundation
import MobiusCodec
public import MobiusCore
import MobiusDriver
import MobiusEngine
public import MobiusProgram
import MobiusRuntime
public import MobiusWire

/// A handle to a loop, for code in the coordinator's process that is not an effect handler.
public struct LoopHandle<Program: LoopProgram>: Sendable {
    /// The loop's name.
    public let id: LoopID
    let setting: Setting

    /// The state that the handles of all loops share.
    struct Setting: Sendable {
        let models: @Sendable (LoopID) -> AsyncStream<Program.Model>
        let send:
            @Sendable (
                LoopID, _ key: String, Payload, _ traceparent: String,
                CheckedContinuation<EventConfirmation, any Error>
            ) -> Void
        let encode: @Sendable (Program.Event, LoopID) throws(CodingFailure) -> Payload
    }

    /// Returns a handle to another loop of the same program, which has its own model, in the same journal.
    ///
    /// A coordinator runs any number of loops, such as one for each order. With one program the loop `main` always exists. Any
    /// other loop starts with `initiate` when the first event is sent to it, and exists after every restart.
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
        setting.models(id)
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
            payload = try setting.encode(event, id)
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

// MARK: - Several programs

extension LoopHandle where Program == Programs {
    /// Returns the loops of one of the programs.
    ///
    /// Their models come a moment later than those of a single program: after ``send(_:key:)`` has returned, too.
    ///
    /// ```swift
    /// try await loop.loops(Shipment.self)[number].send(.handedIn(city: city), key: "hand in \(number)")
    /// ```
    public func loops<Own: FleetProgram>(_ program: Own.Type) -> LoopsOfProgram<Own> {
        let codings = ProgramCodecs<Own>()
        return LoopsOfProgram(
            setting: LoopHandle<Own>.Setting(
                models: { [setting] loop in
                    let models = setting.models(loop)
                    let (stream, continuation) = AsyncStream.makeStream(
                        of: Own.Model.self, bufferingPolicy: .bufferingNewest(1))
                    let task = Task {
                        for await model in models { if let own = model.value as? Own.Model { continuation.yield(own) } }
                        continuation.finish()
                    }
                    continuation.onTermination = { _ in task.cancel() }
                    return stream
                }, send: setting.send,
                encode: { event, _ throws(CodingFailure) in try codings.events.encode(event) }))
    }

    /// Returns the loop of an address.
    public subscript<Own: FleetProgram>(address: Address<Own>) -> LoopHandle<Own> { loops(Own.self)[address] }
}

/// The loops of one of the programs of a coordinator.
public struct LoopsOfProgram<Program: FleetProgram>: Sendable {
    let setting: LoopHandle<Program>.Setting

    /// Returns a handle to the loop with a key; it begins with the first event that is sent to it.
    ///
    /// - Parameter key: One that makes the loop's name longer than 128 bytes is a programmer error and traps. For keys that
    ///   users choose, ask their `Address.loop`.
    public subscript(key: String) -> LoopHandle<Program> { self[Address(key)] }

    /// Returns a handle to the loop of an address; it begins with the first event that is sent to it.
    public subscript(address: Address<Program>) -> LoopHandle<Program> {
        guard let id = address.loop else {
            preconditionFailure(
                "The name of a loop has \(LoopID.maximumLength) bytes at most: \"\(address.name.prefix(40))…\" has not."
            )
        }
        return LoopHandle(id: id, setting: setting)
    }
}
