/// The reason why a client's request failed.
public struct FleetClientError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of error; codes may be added, so match with a default.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name.
        public let description: String

        private init(_ name: String) {
            description = name
        }

        /// No answer came in time: for a ``FleetClient/send(_:type:loop:key:begins:timeout:)`` it is not known whether the event was applied.
        public static let timedOut = Code("timedOut")
        /// No coordinator was reachable in time: nothing was done.
        public static let unreachable = Code("unreachable")
        /// The coordinator answered BUSY until the time-out.
        public static let busy = Code("busy")
        /// The coordinator refused the request for good; the message contains the reason.
        public static let refused = Code("refused")
        /// The loop has applied another event under the same key, or one of another sender: this one was not applied.
        public static let conflict = Code("conflict")
        /// The program's `update` refused the event, by a `.refuses` route; the message is its reason.
        ///
        /// The event is on disk, and a repetition under its key gets the same answer.
        public static let refusedByProgram = Code("refusedByProgram")
        /// The program gave no answer to an event that was sent with ``FleetClient/ask(_:of:loop:key:begins:timeout:for:)``;
        /// the event is on disk.
        public static let noAnswer = Code("noAnswer")
        /// The coordinator does not admit the client's key, or it lacks the right to ask this.
        public static let forbidden = Code("forbidden")
        /// There is no such loop, effect, dead letter or quarantined event, or no loop for an event that may not begin one.
        public static let notFound = Code("notFound")
        /// The client was closed before the answer came.
        public static let closed = Code("closed")
        /// The other side uses another version of the protocol, or is not a coordinator's client socket.
        public static let `protocol` = Code("protocol")
        /// The endpoint can never work.
        public static let endpoint = Code("endpoint")
        /// The event cannot be written as a payload, or is too large for one.
        public static let invalidEvent = Code("invalidEvent")
        /// A model or an answer cannot be read as one of the given program or type.
        public static let unreadable = Code("unreadable")
    }

    /// The kind of error.
    public let code: Code
    /// A message with what to do; never bytes of a payload.
    public let message: String

    /// Makes an error.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The message.
    public var description: String { message }
}
