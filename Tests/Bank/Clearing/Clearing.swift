/// A bank whose accounts and transfers are loops of programs of their own, which ask each other: every wrong event, lost or doubled, shows.
public enum Clearing {
    /// The models of all its loops, by key.
    public struct Books: Codable, Sendable {
        /// The accounts.
        public var accounts: [String: Account.Model]
        /// The transfers.
        public var transfers: [String: Transfer.Model]
        /// The vault.
        public var vault: Vault.Model

        /// Describes books.
        public init(accounts: [String: Account.Model], transfers: [String: Transfer.Model], vault: Vault.Model) {
            (self.accounts, self.transfers, self.vault) = (accounts, transfers, vault)
        }

        /// What is wrong, in sentences; nothing when nothing was lost and nothing doubled.
        ///
        /// Everything must have ended.
        public func complaints() -> [String] {
            let money = accounts.values.reduce(0) { $0 + $1.balance }
            let opened = accounts.values.reduce(0) { $0 + ($1.opened ?? 0) }
            var complaints: [String] = []
            if money != opened { complaints.append("there is \(money) in all accounts, and \(opened) was brought in") }
            if vault.money != money { complaints.append("the vault has \(vault.money), and the accounts \(money)") }
            for (key, account) in accounts.sorted(by: { $0.key < $1.key }) {
                complaints += self.complaints(about: account).map { "account \(key): \($0)" }
            }
            for (key, transfer) in transfers.sorted(by: { $0.key < $1.key }) {
                complaints += self.complaints(about: transfer, key).map { "transfer \(key): \($0)" }
            }
            return complaints
        }

        private func complaints(about account: Account.Model) -> [String] {
            let expected = (account.opened ?? 0) + account.postings.values.reduce(0, +)
            return account.surprises
                + (account.balance < 0 ? ["it has \(account.balance)"] : [])
                + (account.balance == expected ? [] : ["it has \(account.balance), and its postings make \(expected)"])
        }

        private func complaints(about transfer: Transfer.Model, _ key: String) -> [String] {
            guard let request = transfer.request, transfer.stage.isEnd, !transfer.isAsking else {
                return transfer.surprises + ["it is \(transfer.stage) and has not ended"]
            }
            func amount(_ stage: Transfer.Stage, in account: String) -> Int {
                accounts[account]?.postings[Transfer.posting(stage, key)] ?? 0
            }
            let paid = -amount(.paying, in: request.from) - amount(.returning, in: request.from)
            let arrived = amount(.crediting, in: request.to)
            let expected = transfer.stage == .done ? request.amount : 0
            return transfer.surprises
                + (paid == expected && arrived == expected
                    ? [] : ["it is \(transfer.stage) with \(request.amount): \(paid) was paid, and \(arrived) arrived"])
        }
    }
}
