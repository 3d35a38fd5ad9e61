extension Bank {
    /// All that the bank knows.
    public struct Model: Codable, Equatable, Sendable {
        /// The money in each account.
        public var balances: [Int: Int] = [:]
        /// All money that was ever brought in, interest included.
        public var deposited = 0
        /// Every transfer, by its id.
        public var transfers: [String: Transfer] = [:]
        /// The letters, by transfer.
        public var letters: [String: LetterState] = [:]
        /// Every list, by its id.
        public var statements: [String: Statement] = [:]
        /// Audits by number: whether they ended.
        public var audits: [Int: Bool] = [:]
        /// Audits that could not be put away.
        public var unarchived: [Int] = []
        /// The transfers whose watch has fired, and whether they were under way then.
        public var watches: [String: Bool] = [:]
        /// Interest, by name.
        public var interest: [String: Interest] = [:]
        /// The money that went to other loops, by id.
        public var remitted: [String: Int] = [:]
        /// The money that came from other loops, by id.
        public var received: [String: Int] = [:]
        /// The ids of those about which other loops are being asked.
        public var asked: Set<String> = []
        /// What loops answered that were asked: how many events they had applied.
        public var answers: [String: Int] = [:]
        /// Those of which it is not known whether they arrived.
        public var unanswered: Set<String> = []
        /// How many remittances went to each loop.
        public var sent: [String: Int] = [:]
        /// The number of the last one that came from each loop.
        public var lastReceived: [String: Int] = [:]
        /// Whether the bank has closed: nothing must come after that.
        public var hasClosed = false
        /// How many events were applied.
        public var events = 0
        /// Events that must not have come, in sentences.
        public var surprises: [String] = []

        /// No customers yet.
        public init() {}
    }

    /// How far one transfer has come.
    public struct Transfer: Codable, Equatable, Sendable {
        /// What the customer wanted.
        public var request: TransferRequest
        /// How many steps of the route are booked.
        public var booked = 0
        /// Where it stands.
        public var state = TransferState.asked

        /// Whether a step may still end: it is under way, or it was given up and an operator has it tried again.
        var isOpen: Bool { state == .asked || state == .unclear }
    }

    /// Where a transfer stands.
    public enum TransferState: String, Codable, Equatable, Sendable {
        /// A step is under way; the money is on its way.
        case asked
        /// Every step is booked.
        case done
        /// The bank declined a step: the money of that step went back.
        case declined
        /// A step failed and may be booked or not: the money is kept aside.
        case unclear
        /// The customer had not enough, or named a wrong account: nothing was asked for.
        case refused
    }

    /// Interest that is paid by a repeating timer.
    public struct Interest: Codable, Equatable, Sendable {
        /// How often it was paid.
        public var times = 0
        /// Whether it was ended.
        public var hasEnded = false
    }

    /// How far one list has come.
    public struct Statement: Codable, Equatable, Sendable {
        /// How many lines it will have.
        public var wanted: Int
        /// The lines in the order in which they came: from 1 anew with each attempt; of a very long list only the
        /// newest.
        public var lines: [Int] = []
        /// Whether it failed.
        public var hasFailed = false

        /// Whether an attempt brought all lines.
        public var isComplete: Bool { wanted == 0 || lines.contains(wanted) }
    }
}
