package import Bank

/// What the bank's workers really did: a ledger per place, which outlives the processes there.
package final class Ledgers {
    package private(set) var entries: [Bank.LedgerEntry] = []
    private var written: Set<String> = []

    package init() {}

    /// Writes what is not yet in this place's ledger under this key.
    package func write(_ deed: Bank.LedgerEntry.Deed, under key: String, of process: String) {
        let place = String(process.prefix { $0 != "#" })
        guard written.insert("\(place) \(key)").inserted else { return }
        entries.append(Bank.LedgerEntry(key: key, worker: place, deed: deed))
    }
}
