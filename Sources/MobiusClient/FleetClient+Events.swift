import Foundation
import MobiusCodec
public import MobiusProgram
public import MobiusWire

extension FleetClient {
    /// The outcome of a request that changes something.
    public enum Outcome: Hashable, Sendable {
        /// It was done, and is on disk.
        case done
        /// It had been done before, and is on disk: nothing changed.
        case repeated
        /// An operator dropped the event with this key: it is never applied.
        case dropped
    }

    /// Sends an event to a loop, and returns when it is applied and on disk.
    ///
    /// - Parameters:
    ///   - event: The event, which is encoded as JSON as the loop's program does.
    ///   - type: The name of the event's type in the coordinator's journal, whose newest version it is; `nil` for the loop's
    ///     own type of events.
    ///   - loop: The loop.
    ///   - key: Makes sending safe to repeat, by this process or another under the same name: of all events of a loop with one
    ///     key, over all starts of the coordinator, the first is applied and the others are only confirmed. One that says
    ///     something else, or of another sender, is refused: `conflict`. 1 to 255 bytes; `nil` draws a new key, which makes only
    ///     this call safe to repeat.
    ///   - begins: Whether a loop that does not exist begins with this event: `true`. Otherwise that is `notFound`, where the
    ///     coordinator's loops do not begin by themselves (`CoordinatorSettings.clientsMayStartLoops`).
    ///   - timeout: The time to wait for the answer; `nil` for the client's own.
    /// - Returns: the event's number, and what the program answered (its `.toSender` route), also to a repetition of the key.
    /// - Throws: ``FleetClientError``; `CancellationError` when the task was cancelled. After `refusedByProgram` the event is
    ///   on disk, and the message is the program's reason. After `unreachable`, `invalidEvent` and `notFound` it was not
    ///   applied. After any other error that is not known: send it again under its key.
    @discardableResult
    public func send(
        _ event: some Codable & Sendable, type: String? = nil, loop: LoopID = .main, key: String? = nil,
        begins: Bool = true, timeout: Duration? = nil
    ) async throws -> SentEvent {
        try await send(
            Self.payload(event, type: type ?? ""), loop: loop, key: key, begins: begins, timeout: timeout)
    }

    /// Sends an encoded event; otherwise as for a value.
    ///
    /// An empty type name stands for the loop's own type of events, and the version 0 for the newest of its type.
    @discardableResult
    public func send(
        _ event: Payload, loop: LoopID = .main, key: String? = nil, begins: Bool = true, timeout: Duration? = nil
    ) async throws -> SentEvent {
        try await send(
            event, loop: loop, key: key, begins: begins, traceparent: TraceParent.current, timeout: timeout)
    }

    /// Sends an event that belongs to the trace of this W3C trace context, or to none.
    @discardableResult
    package func send(
        _ event: Payload, loop: LoopID = .main, key: String? = nil, begins: Bool = true, traceparent: String,
        timeout: Duration? = nil
    ) async throws -> SentEvent {
        let (sent, refusal) = try await deliver(
            event, loop: loop, key: key, begins: begins, traceparent: traceparent, timeout: timeout)
        if let refusal { throw FleetClientError(.refusedByProgram, refusal) }
        return sent
    }

    /// Sends an event as ``send(_:loop:key:begins:traceparent:timeout:)``, and returns the program's refusal, if any, with
    /// the event's number.
    package func deliver(
        _ event: Payload, loop: LoopID = .main, key: String? = nil, begins: Bool = true, traceparent: String,
        timeout: Duration? = nil
    ) async throws -> (sent: SentEvent, refusal: String?) {
        let key = key ?? UUID().uuidString
        if let problem = EventKey.problem(with: key) { throw FleetClientError(.invalidEvent, problem) }
        guard event.kind.type.utf8.count <= 255, event.kind.contentType.utf8.count <= 255 else {
            throw FleetClientError(.invalidEvent, "The names of an event's type and coding have at most 255 bytes.")
        }
        guard event.bytes.count <= maximumPayload else {
            let sentence = "The event has \(event.bytes.count) bytes, but this client sends at most \(maximumPayload)"
            throw FleetClientError(
                .invalidEvent, "\(sentence): raise its limit, too, and \(PayloadLimit.advice).")
        }
        let answer = try await ask(
            .send(loop: loop, key: key, event: event, begins: begins),
            traceparent: TraceParent.isTraceParent(traceparent) ? traceparent : "", timeout: timeout)
        switch answer.answer {
        case .done(let confirmation):
            var refusal: String?
            if case .refusal(let reason) = confirmation.reply { refusal = reason }
            return (SentEvent(confirmation), refusal)
        case .dropped: return (SentEvent(EventConfirmation(repeated: true), isDropped: true), nil)
        default: throw unexpected(answer.answer, "loop \(loop)")
        }
    }

    /// Makes a request for a loop of another shard, and returns the answer as it is.
    package func carry(
        _ request: ClientRequest, traceparent: String = "", timeout: Duration? = nil
    ) async throws -> ClientAnswer {
        try await ask(request, traceparent: traceparent, timeout: timeout).answer
    }

    /// Makes a request of somebody else and returns the answer as it is.
    ///
    /// - Parameters:
    ///   - token: The bearer token of the caller, whose rights decide; empty where no keys are.
    ///   - isForPeople: Whether payloads in the answer are masked, if the program masks any.
    package func relay(
        _ request: ClientRequest, token: String, isForPeople: Bool, traceparent: String = "", timeout: Duration? = nil
    ) async throws -> ClientAnswer {
        let caller = Caller(token: token, isForPeople: isForPeople)
        return try await ask(request, as: caller, traceparent: traceparent, timeout: timeout).answer
    }

    /// Has the coordinator read an event as for a send, without applying it; returns the event as the program writes it.
    ///
    /// - Returns: `nil` from a coordinator of an earlier build, which cannot do that.
    /// - Throws: ``FleetClientError`` with `refused` when the program cannot read the event.
    package func checked(
        _ event: Payload, loop: LoopID, key: String, timeout: Duration? = nil
    ) async throws -> Payload? {
        let answer = try await ask(.check(loop: loop, key: key, event: event), timeout: timeout)
        switch answer.answer {
        case .checked(let payload): return payload
        case .refused(let refusal) where refusal.code == .unsupported: return nil
        default: throw unexpected(answer.answer)
        }
    }

    /// Encodes an event for ``send(_:type:loop:key:begins:timeout:)``.
    private static func payload<Event: Codable & Sendable>(
        _ event: Event, type: String
    ) throws(FleetClientError) -> Payload {
        let coding = JSONCodec(Event.self)
        var bytes: [UInt8] = []
        var scratch = CodingScratch()
        do throws(CodingFailure) {
            try coding.encode(event, into: &bytes, scratch: &scratch)
        } catch {
            throw FleetClientError(.invalidEvent, "The event cannot be written: \(error).")
        }
        return Payload(kind: PayloadKind(type: type, version: 0, contentType: coding.contentType), bytes: bytes)
    }
}
