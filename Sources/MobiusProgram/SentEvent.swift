import MobiusCodec
public import MobiusWire

/// That an event which was sent is on disk, and what its program answered.
public struct SentEvent: Hashable, Sendable {
    /// The event's number in its loop, from 1; `nil` when it is not known: without a journal a repetition does not tell
    /// it, nor do coordinators of builds that could not answer.
    public let number: UInt64?
    /// The outcome of sending the event.
    public let outcome: Outcome
    /// The answer of the program's `.toSender` route, as JSON; `nil` when it gave none.
    ///
    /// It was stored with the event. A repetition of the key gets the same, as long as the loop remembers the key.
    public let answer: Payload?

    /// The outcome of an event that was sent.
    public enum Outcome: Hashable, Sendable {
        /// It was applied, and is on disk.
        case done
        /// An event with this key had been applied before, and is on disk: this one changed nothing.
        case repeated
        /// An operator dropped the event with this key: it is never applied.
        case dropped
    }

    /// Whether an event with this key had been applied before: this one changed nothing.
    public var isRepeated: Bool { outcome == .repeated }

    /// Makes an outcome.
    package init(_ confirmation: EventConfirmation, isDropped: Bool = false) {
        number = confirmation.number
        outcome = isDropped ? .dropped : confirmation.repeated ? .repeated : .done
        if case .answer(let payload) = confirmation.reply { answer = payload } else { answer = nil }
    }

    /// The answer as a value; `nil` when the program gave none.
    ///
    /// The type may be another one than the program's, as long as it reads the same JSON. A type with versions
    /// (`PayloadEvolution`) reads those that it names.
    ///
    /// - Throws: `CodingFailure` for an answer that cannot be read as such a value.
    public func answer<Answer: Codable & Sendable>(as type: Answer.Type) throws -> Answer? {
        guard let answer else { return nil }
        if type is any PayloadEvolution.Type { return try TypedCodec<Answer>.json().decode(answer) }
        var scratch = CodingScratch()
        return try JSONCodec(type).decode(answer.bytes.span.bytes, scratch: &scratch)
    }
}
