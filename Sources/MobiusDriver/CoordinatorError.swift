import MobiusWire

/// An error of a coordinator: it cannot start or continue, or it refused a request.
public struct CoordinatorError: Error, CustomStringConvertible {
    /// The kind of error; new codes may be added, so match with a default.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name.
        public let description: String

        private init(_ name: String) {
            description = name
        }

        /// The endpoint cannot be bound.
        public static let endpoint = Code("endpoint")
        /// The endpoint requires keys, or the keys or the allow-list cannot be used.
        public static let security = Code("security")
        /// The program is incorrect: an effect has no route, or cannot be encoded.
        public static let program = Code("program")
        /// The event was not accepted: the coordinator is stopping or has stopped.
        public static let stopped = Code("stopped")
        /// The event was not accepted: another process of the cluster runs the loops now, or none.
        ///
        /// A `FleetClient` finds the one that does.
        public static let standsBy = Code("standsBy")
        /// The event was not accepted: too many events or effects are pending.
        ///
        /// It may be sent again later.
        public static let busy = Code("busy")
        /// Nothing was done: the loop is held because of one of its events.
        ///
        /// The event trapped the process repeatedly, caused a program error, or cannot be read by this build.
        public static let held = Code("held")
        /// The event was not accepted: its loop has ended.
        public static let ended = Code("ended")
        /// The event was not accepted: it would begin a loop, but there are as many as the coordinator may have.
        ///
        /// Events of loops that exist are accepted.
        public static let tooManyLoops = Code("tooManyLoops")
        /// The event was not accepted: no program has loops of that kind, or one whose loops do not begin any more.
        ///
        /// A coordinator of one program has loops of any name.
        public static let noProgram = Code("noProgram")
        /// There is no journal to verify or to replay.
        public static let noJournal = Code("noJournal")
        /// The program's `update` computes a different model from the same events than before.
        public static let impure = Code("impure")
        /// The event was not accepted: it cannot be encoded or decoded.
        public static let invalidEvent = Code("invalidEvent")
        /// The event was not accepted: its loop has applied another one under the same key, or one of another sender.
        public static let conflict = Code("conflict")
        /// The program's `update` refused the event; the message is its reason.
        ///
        /// The event is on disk, and a repetition under its key gets the same answer.
        public static let refusedByProgram = Code("refusedByProgram")
        /// There is no such loop or event in the journal.
        public static let noEvent = Code("noEvent")
    }

    /// The kind of error.
    public let code: Code
    /// A description for people, with what to do where there is a remedy.
    public let message: String
    /// The error that caused this one, if any.
    public let underlying: (any Error)?

    /// Makes an error.
    public init(_ code: Code, _ message: String, underlying: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.underlying = underlying
    }

    package static let standsBy = CoordinatorError(
        .standsBy,
        "This coordinator stands by, and another runs the loops: send with a FleetClient, which finds it, or from run(_:), "
            + "which is called where the loops are.")

    static let tooMuch = "The coordinator has too much to do already: send the event again later."

    /// The message.
    public var description: String { message }
}

extension CoordinatorError {
    /// Creates the error with which a sender in this process learns of a refusal.
    init(_ refusal: ClientRefusal) {
        let code: Code =
            switch refusal.code {
            case .ended: .ended
            case .conflict: .conflict
            case .invalidEvent: .invalidEvent
            case .tooManyLoops: .tooManyLoops
            case .unknownName: .noProgram
            case .unsupported: .program
            default: .held
            }
        self.init(code, refusal.reason)
    }

    /// The answer to a sender for whose event no loop can begin.
    var answer: ClientAnswer {
        switch code {
        // Nothing is on disk: a repetition is decided anew.
        case .refusedByProgram: .done(EventConfirmation(repeated: false, reply: .refusal(message)))
        case .invalidEvent: .refused(ClientRefusal(.invalidEvent, message))
        case .tooManyLoops: .refused(ClientRefusal(.tooManyLoops, message))
        case .noProgram: .refused(ClientRefusal(.unknownName, message))
        default: .refused(ClientRefusal(.unsupported, message))
        }
    }
}
