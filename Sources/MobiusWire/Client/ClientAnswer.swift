/// What a coordinator answers to a ``ClientRequest``.
public enum ClientAnswer: Hashable, Sendable {
    /// The longest sentence in an answer, in bytes of UTF-8.
    public static let maximumReason = 1024

    /// DONE: it is on disk; in the answer to SEND with the event's number, and with what the program told its sender.
    case done(EventConfirmation)
    /// DONE, dropped: an operator dropped the event with this key, and it is never applied.
    case dropped
    /// BUSY: nothing was done, ask again after so many milliseconds.
    case busy(retryAfter: UInt32)
    /// REFUSED: nothing was done, and asking again will not help.
    case refused(ClientRefusal)
    /// NOT-FOUND: there is nothing of the name that was asked for.
    case notFound
    /// EFFECTS: a page of pending effects; `more` says that others follow behind the last.
    case effects([EffectSummary], more: Bool)
    /// LETTERS: a page of dead letters; `more` says that others follow behind the last.
    case letters([DeadLetterSummary], more: Bool)
    /// LETTER: a dead letter, and what the effect was to do.
    case letter(DeadLetterSummary, effect: Payload)
    /// QUARANTINE: a page of held loops; `more` says that others follow behind the last.
    case quarantine([QuarantineSummary], more: Bool)
    /// QUARANTINED: a held loop, and the event that holds it.
    case quarantined(QuarantineSummary, event: Payload)
    /// STATUS: how everybody is.
    case status(FleetStatus)
    /// EFFECT: a pending effect, and what it is to do.
    case effect(EffectSummary, payload: Payload)
    /// CHECKED: the event as the program writes it, with its type and version.
    case checked(Payload)
    /// LOOPS: a page of loops; others may follow behind `next`, none when it is `nil`.
    case loops([LoopSummary], next: LoopID?)
    /// MODEL: a loop's model.
    case model(ModelSummary, model: Payload)
    /// UNCHANGED: the model is still the one that the client has seen; watch on.
    case unchanged
    /// HISTORY: a page of a loop's history.
    case history(HistoryPage)
    /// SCHEMA: the forms of the program's events, effects and models, as a JSON Schema in UTF-8.
    case schema([UInt8])
    /// MOVED: nothing was done here; the coordinator that runs the loops answers at this endpoint, or none does while it is `nil`.
    ///
    /// The endpoint must be possible; see ``Moved/isPossible(endpoint:)``.
    /// In a cluster of several shards the map says where the owner of each is, as far as is known.
    indirect case moved(endpoint: String?, map: ClusterMap? = nil)

    /// DONE without more: it is on disk.
    ///
    /// `repeated` says that it was so before: this request changed nothing.
    public static func done(repeated: Bool) -> ClientAnswer { .done(EventConfirmation(repeated: repeated)) }

    /// Its command.
    public var command: ClientCommand {
        switch self {
        case .done, .dropped: .done
        case .busy: .busy
        case .refused: .refused
        case .notFound: .notFound
        case .effects: .effects
        case .letters: .letters
        case .letter: .letter
        case .quarantine: .quarantine
        case .quarantined: .quarantined
        case .status: .status
        case .effect: .effect
        case .checked: .checked
        case .loops: .loops
        case .model: .model
        case .unchanged: .unchanged
        case .history: .history
        case .schema: .schema
        case .moved: .moved
        }
    }
}

/// Why a coordinator will not do what it was asked.
public struct ClientRefusal: Hashable, Sendable {
    /// The kind of reason; more may come, so match with a default.
    public struct Code: RawRepresentable, Hashable, Sendable {
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
        /// The event's loop has ended and takes no more events.
        public static let ended = Code(rawValue: 20)
        /// The event would begin a loop, but there are as many loops as the coordinator may have.
        public static let tooManyLoops = Code(rawValue: 21)
        /// The event's loop has applied another event under the same key, or one of another sender.
        public static let conflict = Code(rawValue: 22)
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

/// An answer under the number of its request.
public struct NumberedAnswer: Hashable, Sendable {
    /// The coordinator's epoch: a higher one than before tells that it was started anew.
    public var epoch: UInt64
    /// The request's number; 0 when the frame that is refused had none.
    public var number: UInt64
    /// The answer.
    public var answer: ClientAnswer

    /// Numbers an answer.
    public init(epoch: UInt64, number: UInt64, answer: ClientAnswer) {
        self.epoch = epoch
        self.number = number
        self.answer = answer
    }
}
