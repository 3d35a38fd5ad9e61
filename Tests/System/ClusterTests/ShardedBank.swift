#if PostgreSQL
    import Bank
    import BankFleet
    import FleetTestSupport
    import MobiusClient
    import MobiusWire
    import Synchronization
    import Testing

    /// A bank with branches in all shards of a cluster, which send each other money.
    final class ShardedBank: Sendable {
        let cluster: BankCluster
        let branches: [LoopID]
        private let confirmed = Mutex<[LoopID: [String]]>([:])
        private let work = Mutex(0)

        init(_ cluster: BankCluster, branches count: Int = 8) throws {
            self.cluster = cluster
            branches = try (1...count).map { try #require(LoopID("branch \($0)")) }
        }

        /// Sends an event until it is confirmed.
        func send(_ event: Bank.Event, to branch: LoopID, key: String) async throws {
            try await eventually("order \(key) is confirmed") {
                do {
                    _ = try await self.cluster.client.send(event, loop: branch, key: key, timeout: .seconds(10))
                } catch let error as FleetClientError where error.code == .refusedByProgram {
                    // Against the bank's rules, and on disk.
                }
                return true
            }
        }

        /// Opens three accounts in each branch, of which the first has all the money.
        func open() async throws {
            for branch in branches {
                for (account, balance) in [(1, 1_000_000), (2, 0), (3, 0)] {
                    try await send(.accountOpened(account, balance: balance), to: branch, key: "account-\(account)")
                }
            }
        }

        /// Orders transfers in all branches and remittances between them, and waits until all are confirmed.
        func work(_ count: Int) async throws {
            let round = work.withLock { work in
                work += 1
                return work
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (place, branch) in branches.enumerated() {
                    for number in 0..<count {
                        group.addTask {
                            let id = "\(round)-\(place)-\(number)"
                            try await self.send(
                                .transferRequested(
                                    Bank.TransferRequest(
                                        id: id, route: [1, 2, 3], amount: 10, wantsLetter: false, isWatched: false)),
                                to: branch, key: id)
                            self.confirmed.withLock { $0[branch, default: []].append(id) }
                        }
                        group.addTask {
                            let other = self.branches[(place + 1 + number) % self.branches.count]
                            let id = "r\(round)-\(place)-\(number)"
                            var remittance = Bank.Remittance(
                                id: id, from: branch.name, to: other.name, account: 1, amount: 3, returns: 1)
                            remittance.asks = number % 2 == 1
                            try await self.send(.remittanceRequested(remittance), to: branch, key: id)
                        }
                    }
                }
                try await group.waitForAll()
            }
        }

        /// Waits until nothing is under way.
        func settle() async throws {
            try await eventually("the end of all work") {
                let models = try await self.models()
                let sent = models.values.reduce(0) { $0 + $1.remitted.count }
                let received = models.values.reduce(0) { $0 + $1.received.count }
                return sent == received
                    && models.values.allSatisfy { BankStatus(of: $0).isIdle && $0.asked.isEmpty }
            }
        }

        /// Waits until nothing is under way, and says what is wrong with the books.
        func complaints() async throws -> [String] {
            try await settle()
            #expect(try await cluster.journal("verify") == .exited(0))
            let models = try await models()
            let ledgers = try cluster.bank.ledger()
            let audit = try await JournalAudit(cluster.server, cluster.url)
            var complaints = Bank.reconcile(Dictionary(models.map { ($0.key.name, $0.value) }) { $1 })
            for (branch, model) in models {
                if !model.unanswered.isEmpty { complaints.append("\(branch) has no answer to \(model.unanswered)") }
                complaints += Verdict.complaints(
                    about: model, journal: audit, ledgers: ledgers.filter { $0.entry.key.hasPrefix("\(branch.name)/") },
                    confirmed: confirmed.withLock { $0[branch] ?? [] }
                ).map { "\(branch): \($0)" }
            }
            return complaints
        }

        private func models() async throws -> [LoopID: Bank.Model] {
            var models: [LoopID: Bank.Model] = [:]
            for branch in branches {
                models[branch] = try await cluster.client.model(of: Bank.self, loop: branch, timeout: .seconds(10))
            }
            return models
        }

        /// How many shards each process runs, by its name, as the database knows it.
        func shares() async throws -> [String: Int] {
            let rows = try await cluster.server.sql(
                """
                SELECT convert_from(name, 'UTF8'), count(*) FROM leases
                WHERE until > clock_timestamp() AND length(workers) > 0 GROUP BY 1
                """, at: cluster.url)
            var shares: [String: Int] = [:]
            for row in rows.split(separator: "\n") {
                let columns = row.split(separator: "|")
                shares[String(columns[0])] = Int(columns[1])
            }
            return shares
        }

        /// Waits until so many processes run so many shards each.
        func shared(_ counts: Int...) async throws {
            try await eventually("shards are shared as \(counts)") {
                try await self.shares().values.sorted() == counts.sorted()
            }
        }
    }
#endif
