/// Why a coordinator cannot start or go on.
public struct CoordinatorError: Error, CustomStringConvertible {
    /// What went wrong; more codes may come, so match with a default.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name.
        public let description: String

        private init(_ name: String) {
            description = name
        }

        /// The endpoint cannot be bound.
        public static let endpoint = Code("endpoint")
        /// The endpoint needs keys, or the keys or the allow-list cannot be used.
        public static let security = Code("security")
        /// The program itself is wrong: an effect without a route, or one that cannot be coded.
        public static let program = Code("program")
        /// The event was not taken: the coordinator is stopping or has stopped.
        public static let stopped = Code("stopped")
        /// The event was not taken: too much waits already.
        ///
        /// It may be sent again.
        public static let busy = Code("busy")
        /// Nothing was done: the loop is held, because the journal has an event of it that ends the process or that this
        /// build cannot read.
        public static let held = Code("held")
        /// There is no journal that could be verified.
        public static let noJournal = Code("noJournal")
        /// The program's `update` makes another model of the same events than before.
        public static let impure = Code("impure")
        /// The event was not taken: it cannot be coded.
        public static let invalidEvent = Code("invalidEvent")
    }

    /// What went wrong.
    public let code: Code
    /// One sentence, with what to do.
    public let message: String
    /// The error of the layer below, where there is one.
    public let underlying: (any Error)?

    /// Makes an error.
    public init(_ code: Code, _ message: String, underlying: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.underlying = underlying
    }

    static let tooMuch = "The coordinator has too much to do already: send the event again later."

    /// The message.
    public var description: String { message }
}
