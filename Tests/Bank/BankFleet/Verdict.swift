public import Bank

/// Compares all that is known independently of each other: the model, the journal, the workers' ledgers, and what was
/// confirmed to the customers.
public enum Verdict {
    /// What is wrong, in sentences; nothing when nothing was lost and nothing doubled.
    ///
    /// Everything must have ended.
    ///
    /// - Parameter confirmed: The keys of the orders that were confirmed to their customers.
    public static func complaints(
        about model: Bank.Model, journal: JournalAudit, ledgers: [Ledger.Row], confirmed: [String]
    ) -> [String] {
        var complaints = Bank.check(model) + Bank.reconcile(model, with: ledgers.map(\.entry)) + journal.doubled
        let keys = Set(journal.keys)
        let known = Set(model.orders)
        for id in confirmed {
            if !known.contains(id) { complaints.append("order \(id) was confirmed, and is not in the model") }
            if !keys.contains(id) { complaints.append("order \(id) was confirmed, and is not in the journal") }
        }
        // A ledger's key is the effect's id; of each booked step exactly one effect was asked for.
        var steps: [Bank.Booking: Set<String>] = [:]
        for row in ledgers {
            if case .booking(let booking) = row.entry.deed { steps[booking, default: []].insert(row.entry.key) }
        }
        for (step, keys) in steps where keys.count > 1 {
            complaints.append("step \(step.hop) of \(step.id) was booked under \(keys.sorted())")
        }
        return complaints
    }
}

extension Bank.Model {
    /// The keys of all orders that it knows of.
    fileprivate var orders: [String] {
        transfers.keys.map { String($0.prefix(64)) } + statements.keys + audits.keys.map { "audit-\($0)" }
            + balances.keys.map { "account-\($0)" } + interest.keys
            + interest.filter(\.value.hasEnded).keys.map { "end-\($0)" }
    }
}
