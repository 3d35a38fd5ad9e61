/// A message under the epoch and session it was said in.
public struct Envelope<Message: Hashable & Sendable>: Hashable, Sendable {
    /// The coordinator's epoch; see ``Head/epoch``.
    public var epoch: UInt64
    /// The session; see ``Head/session``.
    public var session: UInt64
    /// What is said.
    public var message: Message

    /// Wraps a message.
    public init(epoch: UInt64, session: UInt64, message: Message) {
        self.epoch = epoch
        self.session = session
        self.message = message
    }
}
