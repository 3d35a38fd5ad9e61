/// A message with the epoch and session that it was sent in.
public struct Envelope<Message: Hashable & Sendable>: Hashable, Sendable {
    /// The coordinator's epoch; see ``Head/epoch``.
    public var epoch: UInt64
    /// The session; see ``Head/session``.
    public var session: UInt64
    /// The message.
    public var message: Message

    /// Wraps a message.
    public init(epoch: UInt64, session: UInt64, message: Message) {
        self.epoch = epoch
        self.session = session
        self.message = message
    }
}
