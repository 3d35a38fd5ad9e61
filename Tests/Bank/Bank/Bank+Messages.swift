extension Bank {
    /// What can happen.
    public enum Event: Codable, Hashable, Sendable {
        /// From outside: an account begins with this money.
        case accountOpened(Int, balance: Int)
        /// From outside: money shall go somewhere.
        case transferRequested(TransferRequest)
        /// From a bank worker: the hop of this transfer is in its ledger.
        case booked(id: String, hop: Int)
        /// From a bank worker: the hop is against the rules, and is in no ledger.
        case declined(id: String, hop: Int)
        /// The hop failed in a way that leaves open whether it is in a ledger.
        case unclear(id: String, hop: Int)
        /// What became of the letter about this transfer.
        case letterEnded(id: String, LetterState)
        /// From outside: a list of so many lines is wanted.
        case statementRequested(StatementRequest)
        /// From a bank worker: the next line, counted from 1; the last one may be its last word or not.
        case statementLine(id: String, Int)
        /// The list failed.
        case statementFailed(id: String)
        /// From outside: the coordinator's own audit of this number.
        case auditRequested(Int)
        /// From the coordinator's own handler.
        case audited(Int)
        /// The audit of this number could not be put away.
        case archiveFailed(Int)
        /// The time for this transfer is over.
        case watchFired(id: String)
        /// From outside: interest is paid from now on, by a repeating timer of this name.
        case interestAgreed(String)
        /// The repeating timer of this name.
        case interestDue(String)
        /// From outside: no more interest of this name.
        case interestEnded(String)
        /// From outside: money shall go to another loop.
        case remittanceRequested(Remittance)
        /// From another loop: its money.
        case remittanceArrived(Remittance)
        /// The same in the words of a later build, which an earlier one cannot read.
        case remittanceDelivered(Remittance)
        /// The other loop has ended: the money comes back.
        case remittanceReturned(Remittance)
        /// What became of money about which the other loop was asked.
        case remittanceAnswered(Remittance, RemittanceAnswer)
        /// From outside: the bank closes.
        case closed
        /// From outside: when the bank ends, this loop is told, or ends, too.
        case childTaken(String, ends: Bool)
        /// From outside: no more so.
        case childLetGo(String)
        /// From a loop that has ended: the bank closes, if it has not.
        case parentEnded
    }

    /// What the bank asks for.
    public enum Effect: Codable, Hashable, Sendable {
        /// Bank workers: put this into a ledger, once for its key, unless ``Booking/isForbidden``; at least once.
        case book(Booking)
        /// Post workers: write to a customer about this transfer, at most once.
        case letter(String)
        /// Bank workers: send line 1, 2, … as events; at least once.
        case statement(StatementRequest)
        /// The coordinating process.
        case audit(Int)
        /// Post workers: put an audit away, and say nothing.
        case archive(Int)
        /// A timer: ``Event/watchFired(id:)`` when the transfer takes long.
        case watch(String)
        /// Cancels ``watch(_:)`` of the same transfer.
        case unwatch(String)
        /// A repeating timer: ``Event/interestDue(_:)`` each time.
        case interest(String)
        /// Cancels ``interest(_:)`` of the same name.
        case endInterest(String)
        /// The customer's answer: how many events the bank had seen, so that no two are equal.
        case answer(Int)
        /// The customer's wish is against the rules, as the bank saw them after so many events.
        case refuse(Int)
        /// Another loop: ``Event/remittanceArrived(_:)``.
        case remit(Remittance)
        /// The same, and its answer: ``Event/remittanceAnswered(_:_:)``.
        case ask(Remittance)
        /// The end of the loop.
        case close
        /// The loop of this name, once this one has ended: ``Event/parentEnded``.
        case tellAtEnd(String)
        /// The end of the loop of this name, once this one has ended.
        case endAtEnd(String)
        /// Cancels both.
        case letGo(String)
    }

    /// One wish of a customer.
    public struct TransferRequest: Codable, Hashable, Sendable {
        /// Chosen by the customer, unique; the key of the outside event.
        public var id: String
        /// The accounts that the money goes through, at least two: each step is an effect that follows the one before.
        public var route: [Int]
        /// How much.
        public var amount: Int
        /// Whether a letter is sent at the end.
        public var wantsLetter: Bool
        /// Whether a timer watches over it.
        public var isWatched: Bool

        /// Describes a transfer.
        public init(id: String, route: [Int], amount: Int, wantsLetter: Bool = false, isWatched: Bool = false) {
            self.id = id
            self.route = route
            self.amount = amount
            self.wantsLetter = wantsLetter
            self.isWatched = isWatched
        }
    }

    /// One step of a transfer, as bank workers get it.
    public struct Booking: Codable, Hashable, Sendable {
        /// Which transfer.
        public var id: String
        /// Which step of its route, from 0.
        public var hop: Int
        /// Where the money comes from.
        public var from: Int
        /// Where it goes.
        public var to: Int
        /// How much.
        public var amount: Int

        /// Describes a booking.
        public init(id: String, hop: Int, from: Int, to: Int, amount: Int) {
            self.id = id
            self.hop = hop
            self.from = from
            self.to = to
            self.amount = amount
        }

        /// Whether every bank worker must decline it: a rule that depends on the booking only, so all attempts agree.
        public var isForbidden: Bool { amount % 10 == 9 && hop > 0 || amount % 100 == 13 }
    }

    /// A list that a customer wants.
    public struct StatementRequest: Codable, Hashable, Sendable {
        /// Chosen by the customer, unique; the key of the outside event.
        public var id: String
        /// How many lines it has.
        public var lines: Int

        /// Describes a list.
        public init(id: String, lines: Int) {
            self.id = id
            self.lines = lines
        }
    }

    /// Where a letter stands.
    public enum LetterState: String, Codable, Hashable, Sendable {
        /// It is under way.
        case asked
        /// It was sent.
        case sent
        /// It was not sent.
        case failed
        /// It may have been sent or not.
        case unknown
    }
}
