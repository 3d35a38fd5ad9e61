#if PostgreSQL
    import Logging
    public import MobiusJournal
    import MobiusJournalTables
    public import MobiusWire

    /// The leases of the shards of a journal in PostgreSQL.
    ///
    /// All calls together wait for their answers until `patience` of the request has passed since they began. Then, and when
    /// the connection is lost, they throw ``JournalError`` with code `notReadable`, also each later one.
    public final class PostgreSQLLeases: LeaseStore, @unchecked Sendable {
        // @unchecked: calls come from one thread at a time.

        /// The process of the server that serves this connection.
        package var backend: Int32 { session.connection.backend }

        private let session: Session
        private let request: JournalOpener.Request
        private let alarm = Alarm()
        // The number of the schema, which leases of several journals in one database have in their locks.
        private let schema: Int64
        private let channel: String
        private var locked: Set<UInt32> = []
        /// The endpoint of each shard, as the others were told.
        private var told: [UInt32: String] = [:]
        private var failure: JournalError?
        private var isClosed = false

        /// Connects to the journal of the request's URL.
        ///
        /// - Throws: ``JournalError``: `notReadable`, or `foreign` for a journal of another program or format.
        public init(_ request: JournalOpener.Request) throws(JournalError) {
            self.request = request
            let patience = request.patience
            session = try Session(
                try JournalURL(request.url), logger: Logger(label: "mobius.journal"), patience: patience)
            session.connection.deadline = .now + patience
            try session.requireFormat()
            try Epochs.requireOwner(request.application, session)
            schema = try LeaseTable.schema(session)
            channel = LeaseTable.channel(schema)
            let limit = max(1, patience.milliseconds)
            do throws(PipelineError) {
                try session.connection.execute([
                    // A taker whose host is lost must not keep others from the lease for longer.
                    "SET idle_in_transaction_session_timeout TO \(limit)", "SET lock_timeout TO \(limit)",
                    "LISTEN \(channel)",
                ])
            } catch {
                throw error.reading(session.url)
            }
        }

        /// The shards with their leases; see ``LeaseStore/shards()``.
        public func shards() throws(JournalError) -> [ShardState] {
            try calling { session throws(JournalError) in try LeaseTable.read(schema: schema, session) }
        }

        /// Takes a shard over; see ``LeaseStore/acquire(_:as:for:above:)``.
        ///
        /// - Throws: ``JournalError``: `held` when a transaction of the earlier writer does not end although its connection
        ///   was to be ended: that belongs to another user of the database, or its server's process is stopped.
        public func acquire(
            _ seen: ShardState, as holder: LeaseHolder, for time: Duration, above floor: UInt64
        ) throws(JournalError) -> UInt64? {
            try calling { session throws(JournalError) in
                guard let epoch = try begin(seen, above: floor) else {
                    try Epochs.requireOwner(request.application, session)
                    return nil
                }
                let results = try run(
                    [
                        Epochs.insertion(epoch, shard: Int64(seen.shard), build: request.build),
                        LeaseTable.give(seen.shard, to: holder.process, epoch),
                        LeaseTable.renew([LeaseRenewal(seen.shard, epoch, holder)], for: time),
                    ] + connections(of: [seen.shard]) + [SQLStatement("COMMIT")])
                guard results.last?.command == "COMMIT", results[2].rows == 1, results[2].number(0, 1) == 1 else {
                    throw rolledBack
                }
                locked.insert(seen.shard)
                return epoch
            }
        }

        /// Renews leases; see ``LeaseStore/renew(_:for:)``.
        public func renew(_ leases: [LeaseRenewal], for time: Duration) throws(JournalError) -> [LeaseOutcome] {
            try calling { _ throws(JournalError) in
                let shards = leases.map(\.shard)
                let outcomes = LeaseTable.outcomes(
                    of: leases, in: try run([LeaseTable.renew(leases, for: time)] + connections(of: shards))[0])
                locked.formUnion(shards)
                var notifications: [SQLStatement] = []
                for (lease, outcome) in zip(leases, outcomes) {
                    let workers = lease.holder.workers
                    switch outcome {
                    case .delayed: break
                    case .lost:
                        told[lease.shard] = nil
                        try disconnect(lease.shard)
                    case .kept where told.updateValue(workers, forKey: lease.shard) != workers && !workers.isEmpty:
                        // So that front doors need not look for it.
                        notifications.append(
                            SQLStatement("SELECT pg_notify($1, $2)", [.name(channel), .name("\(lease.shard)")]))
                    case .kept: break
                    }
                }
                if !notifications.isEmpty { _ = try run(notifications) }
                return outcomes
            }
        }

        /// Ends a lease; see ``LeaseStore/release(_:epoch:possibleHolders:)``.
        public func release(_ shard: UInt32, epoch: UInt64, possibleHolders: [Incarnation]?) throws(JournalError) {
            try calling { _ throws(JournalError) in
                _ = try run([
                    LeaseTable.release(shard, epoch: epoch, possibleHolders: possibleHolders, channel: channel)
                ])
                try disconnect(shard)
            }
        }

        /// Tells the other processes of this one; see ``LeaseStore/attend(as:isReady:for:)``.
        public func attend(
            as holder: LeaseHolder, isReady: Bool, for time: Duration
        ) throws(JournalError) -> [ClusterMember] {
            try calling { _ throws(JournalError) in
                let results = try run(LeaseTable.attend(as: holder, isReady: isReady, for: time))
                return LeaseTable.members(in: results[3])
            }
        }

        /// Ends that; see ``LeaseStore/resign(_:)``.
        public func resign(_ process: Incarnation) throws(JournalError) {
            try calling { _ throws(JournalError) in _ = try run([LeaseTable.resign(process)]) }
        }

        /// The shares of all limits; see ``LeaseStore/limitShares(within:)``.
        public func limitShares(within time: Duration) throws(JournalError) -> [LimitShare] {
            try calling(within: time) { _ throws(JournalError) in LimitTable.shares(in: try run([LimitTable.read])[0]) }
        }

        /// Changes shares of a shard; see ``LeaseStore/claim(_:for:epoch:within:)``.
        public func claim(
            _ claims: [LimitClaim], for shard: UInt32, epoch: UInt64, within time: Duration
        ) throws(JournalError) -> [LimitOutcome] {
            try calling(within: time) { session throws(JournalError) in
                let (statements, first) = LimitTable.claiming(
                    claims, for: shard, epoch: epoch, schema: schema, patience: time / 2)
                let results: [Rows]
                do throws(PipelineError) {
                    results = try session.connection.run(statements + [SQLStatement("COMMIT")])
                } catch {
                    // The shard is another's, or others claim units of the limit just now.
                    guard [PostgreSQLError.fenced, "55P03"].contains(error.error.state) else {
                        throw error.reading(session.url)
                    }
                    return claims.map { _ in .refused }
                }
                guard results.last?.command == "COMMIT" else { throw rolledBack }
                return results[first...].dropLast().map { LimitTable.outcome(in: $0) }
            }
        }

        /// Waits until another process releases a lease; see ``LeaseStore/wait(for:)``.
        public func wait(for time: Duration) throws(JournalError) -> Bool {
            try calling { session throws(JournalError) in
                do throws(PostgreSQLError) {
                    return try session.connection.awaitNotification(for: time, orUntil: alarm)
                } catch {
                    throw PipelineError(statement: 0, error: error).reading(session.url)
                }
            }
        }

        /// Ends a wait; see ``LeaseStore/wake()``.
        public func wake() { alarm.ring() }

        /// Closes the connection; see ``LeaseStore/close()``.
        public func close() {
            precondition(!isClosed, "These leases are closed already.")
            isClosed = true
            session.connection.close()
        }

        // MARK: The next epoch

        /// Begins a transaction with the next epoch of a shard; `nil` without one when the shard is not as it was seen.
        ///
        /// The earlier writer has half of the patience to end its transaction; then its connection is ended.
        private func begin(_ seen: ShardState, above floor: UInt64) throws(JournalError) -> UInt64? {
            let half = min(request.patience / 2, .seconds(1))
            for wait in [half, half / 2] {
                do throws(PipelineError) {
                    let results = try session.connection.run([
                        SQLStatement("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"),
                        SQLStatement(
                            "SELECT set_config('lock_timeout', $1, true)", [.name("\(max(1, wait.milliseconds))")]),
                        LeaseTable.lockAtOnce(seen.shard),
                        Epochs.beginning(
                            shard: Int64(seen.shard), application: request.application, build: request.build,
                            seen: (Int64(bitPattern: seen.epoch), Int64(bitPattern: seen.change)), above: floor),
                    ])
                    if results[3].rows == 1 { return UInt64(bitPattern: results[3].number(0, 0)) }
                    try session.connection.execute(["ROLLBACK"])
                    return nil
                } catch {
                    guard error.error.state == "55P03" else { throw error.reading(session.url) }
                    // Another process is taking it, or dividing the shard.
                    guard error.statement > 2 else { return nil }
                    guard wait == half else { throw Epochs.held(session, error) }
                    _ = try run([LeaseTable.endWriter(seen.shard, epoch: seen.epoch)])
                }
            }
            return nil
        }

        // MARK: Calls

        private var rolledBack: JournalError {
            JournalError(.notReadable, "PostgreSQL rolled a transaction about leases back: see its log.")
        }

        private func connections(of shards: [UInt32]) -> [SQLStatement] {
            shards.filter { !locked.contains($0) }.map { LeaseTable.connect($0, schema: schema) }
        }

        private func disconnect(_ shard: UInt32) throws(JournalError) {
            guard locked.remove(shard) != nil else { return }
            _ = try run([LeaseTable.disconnect(shard, schema: schema)])
        }

        private func run(_ statements: [SQLStatement]) throws(JournalError) -> [Rows] {
            do throws(PipelineError) { return try session.connection.run(statements) } catch {
                throw error.reading(session.url)
            }
        }

        private func calling<T>(
            within time: Duration? = nil, _ body: (Session) throws(JournalError) -> T
        ) throws(JournalError) -> T {
            precondition(!isClosed, "These leases are closed: open them again to use them.")
            if let failure { throw failure }
            session.connection.deadline = .now + min(request.patience, time ?? request.patience)
            do throws(JournalError) { return try body(session) } catch {
                // Only one shard is held, by a transaction of another connection.
                if error.code != .held { failure = error }
                throw error
            }
        }
    }
#endif
