import MobiusJournal
import MobiusWire

/// An event that was sent under a key that its loop has applied.
package struct Repetition: Sendable {
    /// The hashes of its sender and its content.
    let mark: SenderMark
    /// Whether its sender must not see what the program masks.
    let isMasked: Bool

    /// Returns the answer to its sender.
    ///
    /// - Parameters:
    ///   - known: The confirmation for the sender of the event with the key; `nil` when that is not known any more.
    ///   - mark: The hashes of that event's sender and content; `nil` when an earlier build applied it.
    func answer(_ known: EventConfirmation?, to mark: SenderMark?) -> ClientAnswer {
        guard var known else { return .done(EventConfirmation(repeated: true)) }
        guard let mark else {
            // Perhaps this sender never got the answer: only one that may see everything gets it.
            if isMasked, case .answer = known.reply { known.reply = nil }
            return .done(known)
        }
        guard mark == self.mark else {
            return .refused(
                ClientRefusal(
                    .conflict,
                    "The loop has applied another event under this key: one that says something else, or of another sender. This "
                        + "one was not applied: send it under a key of its own."))
        }
        return .done(known)
    }
}
