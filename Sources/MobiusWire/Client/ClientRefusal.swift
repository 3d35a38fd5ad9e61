/// The reason why a coordinator will not do what it was asked.
public struct ClientRefusal: Hashable, Sendable, Codable {
    /// The kind of reason; more may come, so match with a default.
    public struct Code: RawRepresentable, Hashable, Sendable, Codable {
        /// The number on the wire.
        public let rawValue: UInt8

        /// Names a reason by its number.
        public init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// The frame is not a request of this version.
        public static let malformed = Code(rawValue: 1)
        /// The program cannot read the event.
        public static let invalidEvent = Code(rawValue: 2)
        /// The event's loop is held by another event in quarantine.
        public static let held = Code(rawValue: 3)
        /// The payload is larger than the coordinator takes.
        public static let tooLarge = Code(rawValue: 4)
        /// The coordinator cannot do this at all; a journal may be missing for it.
        public static let unsupported = Code(rawValue: 5)
        /// The client's key lacks the right to ask this.
        public static let forbidden = Code(rawValue: 6)
        /// The journal cannot be read where the answer is: it is damaged there.
        public static let damaged = Code(rawValue: 7)
        /// The model after the event is not known: the event was removed, or did not happen yet.
        public static let unknownEvent = Code(rawValue: 8)
        /// The token of the caller for whom a gateway asks is not, or no longer, in the allow-list.
        public static let unknownToken = Code(rawValue: 9)
        /// The event's loop has ended and takes no more events.
        public static let ended = Code(rawValue: 20)
        /// The event would begin a loop, but there are as many loops as the coordinator may have.
        public static let tooManyLoops = Code(rawValue: 21)
        /// The event's loop has applied another event under the same key, or one of another sender.
        public static let conflict = Code(rawValue: 22)
        /// The condition or the order of a list cannot be read.
        public static let invalidQuery = Code(rawValue: 10)
        /// The request names a loop or a pool that does not exist.
        public static let unknownName = Code(rawValue: 40)
    }

    /// The kind of reason.
    public var code: Code
    /// A sentence for people, up to ``ClientAnswer/maximumReason`` bytes.
    public var reason: String

    /// Describes a refusal; a longer reason is cut.
    public init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason.cut(toBytes: ClientAnswer.maximumReason)
    }
}
