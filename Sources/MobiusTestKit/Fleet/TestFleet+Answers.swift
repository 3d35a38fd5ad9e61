public import MobiusWire

// What the program told the senders of events.
extension TestFleet {
    /// An event that was sent from outside.
    public struct Request: Hashable, Sendable {
        /// The loop to which it was sent.
        public let loop: LoopID
        /// Its idempotency key.
        public let key: String
        let index: Int
    }

    /// The event's number and answer, once its sender has the confirmation; `nil` before, and for a refused event.
    public func confirmation(of request: Request) -> SentEvent? {
        guard let found = confirmed(request), refusal(in: found) == nil else { return nil }
        return SentEvent(found)
    }

    /// The program's answer to an event, from a `.toSender` route; `nil` before the sender has it, and without an answer.
    ///
    /// - Throws: `CodingFailure` for an answer that cannot be read as such a value.
    public func answer<Answer: Codable & Sendable>(to request: Request, as type: Answer.Type) throws -> Answer? {
        try confirmation(of: request)?.answer(as: type)
    }

    /// The reason for which the program refused an event, by a `.refuses` route; `nil` before the sender has it, and for an
    /// event that was not refused.
    public func refusal(of request: Request) -> String? { confirmed(request).flatMap { refusal(in: $0) } }

    private func confirmed(_ request: Request) -> EventConfirmation? {
        inside { world, _ in
            world.requests.indices.contains(request.index) ? world.requests[request.index].confirmation : nil
        }
    }

    private func refusal(in confirmation: EventConfirmation) -> String? {
        guard case .refusal(let reason) = confirmation.reply else { return nil }
        return reason
    }
}
