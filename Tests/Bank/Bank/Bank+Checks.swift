extension Bank {
    /// What is wrong with a model, in sentences; nothing when all is well.
    ///
    /// Without `whileBusy`, everything must have ended.
    public static func check(_ model: Model, whileBusy: Bool = false) -> [String] {
        var complaints = model.surprises
        let money = model.balances.values.reduce(0, +) + model.moneyOnItsWay
        if money != model.deposited {
            complaints.append("there is \(money) in the bank, and \(model.deposited) was brought in")
        }
        for (account, balance) in model.balances.sorted(by: { $0.key < $1.key }) where balance < 0 {
            complaints.append("account \(account) has \(balance)")
        }
        guard !whileBusy else { return complaints }
        for (id, transfer) in model.transfers.sorted(by: { $0.key < $1.key }) where transfer.state == .asked {
            complaints.append("transfer \(id) has not ended: step \(transfer.booked) is under way")
        }
        for (id, letter) in model.letters.sorted(by: { $0.key < $1.key }) where letter == .asked {
            complaints.append("the letter about \(id) has not ended")
        }
        for (id, statement) in model.statements.sorted(by: { $0.key < $1.key })
        where !statement.isComplete && !statement.hasFailed {
            complaints.append("list \(id) has not ended")
        }
        for id in model.asked.sorted() where !model.hasClosed {
            complaints.append("nobody has answered about remittance \(id)")
        }
        for (number, hasEnded) in model.audits.sorted(by: { $0.key < $1.key }) where !hasEnded {
            complaints.append("audit \(number) has not ended")
        }
        return complaints
    }

    /// One line of a worker's ledger: what it really did.
    public struct LedgerEntry: Codable, Hashable, Sendable {
        /// What was done.
        public enum Deed: Codable, Hashable, Sendable {
            /// A step of a transfer was booked.
            case booking(Booking)
            /// The letter about this transfer was sent.
            case letter(String)
        }

        /// The idempotency key under which it was done.
        public var key: String
        /// Whose ledger it is.
        public var worker: String
        /// What was done.
        public var deed: Deed

        /// Describes an entry.
        public init(key: String, worker: String, deed: Deed) {
            self.key = key
            self.worker = worker
            self.deed = deed
        }
    }

    /// What the ledgers of all workers contradict, in sentences.
    ///
    /// The model must have ended (``check(_:whileBusy:)``). A booking may be in several ledgers, under one key; a letter is in one at most.
    public static func reconcile(_ model: Model, with entries: [LedgerEntry]) -> [String] {
        var complaints: [String] = []
        var keys: [Booking: String] = [:]
        var bookings: [String: Set<Int>] = [:]
        var deeds: [String: LedgerEntry.Deed] = [:]
        var letters: [String: Int] = [:]
        for entry in entries {
            if let deed = deeds[entry.key], deed != entry.deed {
                complaints.append("key \(entry.key) stands for \(deed) and for \(entry.deed)")
            }
            deeds[entry.key] = entry.deed
            switch entry.deed {
            case .letter(let id): letters[id, default: 0] += 1
            case .booking(let booking):
                if let key = keys[booking], key != entry.key {
                    complaints.append("step \(booking.hop) of \(booking.id) was booked as \(key) and as \(entry.key)")
                }
                keys[booking] = entry.key
                bookings[booking.id, default: []].insert(booking.hop)
                if model.transfers[booking.id]?.request.booking(booking.hop) != booking {
                    complaints.append("worker \(entry.worker) booked \(booking), which nobody asked for")
                }
            }
        }
        for (id, transfer) in model.transfers.sorted(by: { $0.key < $1.key }) {
            complaints += transfer.contradictions(id, bookings[id] ?? [])
        }
        for (id, count) in letters.sorted(by: { $0.key < $1.key }) {
            if count > 1 { complaints.append("the letter about \(id) was sent \(count) times") }
            if model.letters[id] == .failed { complaints.append("the letter about \(id) failed, and was sent") }
            if model.letters[id] == nil { complaints.append("a letter about \(id) was sent, and nobody asked for it") }
        }
        for (id, end) in model.letters.sorted(by: { $0.key < $1.key }) where end == .sent && letters[id] == nil {
            complaints.append("the letter about \(id) was reported as sent, and is in no ledger")
        }
        return complaints
    }
}

extension Bank.Model {
    /// Money that left an account and has not arrived, what is kept aside included.
    var moneyOnItsWay: Int {
        transfers.values.reduce(0) { sum, transfer in
            switch transfer.state {
            case .asked, .unclear: sum + transfer.request.amount
            case .done, .declined, .refused: sum
            }
        }
    }
}

extension Bank.Transfer {
    /// What is wrong with the steps that are in ledgers.
    fileprivate func contradictions(_ id: String, _ inLedgers: Set<Int>) -> [String] {
        var complaints: [String] = []
        for hop in 0..<booked where !inLedgers.contains(hop) {
            complaints.append("step \(hop) of transfer \(id) is in no ledger")
        }
        // Of a step that failed unclearly nobody knows; of all others everything must be known.
        let allowed = state == .unclear || state == .asked ? booked + 1 : booked
        for hop in inLedgers.sorted() where hop >= allowed {
            complaints.append("step \(hop) of transfer \(id) is in a ledger, and the transfer is \(state)")
        }
        return complaints
    }
}
