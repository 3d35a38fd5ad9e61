/// Why a coordinator did not do what a client asked.
public struct FleetClientError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What went wrong; more codes may come, so match with a default.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name.
        public let description: String

        private init(_ name: String) {
            description = name
        }

        /// No answer came in time: for a ``FleetClient/send(_:type:loop:key:begins:timeout:)`` it is not known whether the event was applied.
        public static let timedOut = Code("timedOut")
        /// Nobody was there to ask in time: nothing was done.
        public static let unreachable = Code("unreachable")
        /// The coordinator had too much to do, again and again, until the time was over.
        public static let busy = Code("busy")
        /// The coordinator will not do it, however often it is asked; the message says why.
        public static let refused = Code("refused")
        /// The coordinator does not admit the client's key, or it lacks the right to ask this.
        public static let forbidden = Code("forbidden")
        /// There is no such effect, dead letter or quarantined event, or no loop for an event that may not begin one.
        public static let notFound = Code("notFound")
        /// The client was closed before the answer came.
        public static let closed = Code("closed")
        /// Both sides do not understand each other: another version, or no coordinator's client socket at all.
        public static let `protocol` = Code("protocol")
        /// The endpoint can never work.
        public static let endpoint = Code("endpoint")
        /// The event cannot be written as a payload, or is too large for one.
        public static let invalidEvent = Code("invalidEvent")
    }

    /// What went wrong.
    public let code: Code
    /// One sentence, with what to do; never bytes of a payload.
    public let message: String

    /// Makes an error.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The message.
    public var description: String { message }
}
