/// That an event from outside is on disk, and what `update` told its sender.
public struct EventConfirmation: Hashable, Sendable {
    /// Whether the event was on disk before: this request changed nothing.
    public var repeated: Bool
    /// The event's number in its loop; `nil` when it is not known any more.
    public var number: UInt64?
    /// The program's reply to the sender, the same for every repetition of the key; `nil` for none.
    public var reply: SenderReply?

    /// Confirms an event.
    public init(repeated: Bool, number: UInt64? = nil, reply: SenderReply? = nil) {
        self.repeated = repeated
        self.number = number
        self.reply = reply
    }
}

/// A program's reply to the sender of an event: it is stored with the event.
public indirect enum SenderReply: Hashable, Sendable {
    /// An answer, a value of the program's as JSON.
    case answer(Payload)
    /// The program refuses the event, for this reason of up to ``ClientAnswer/maximumReason`` bytes.
    case refusal(String)
}
