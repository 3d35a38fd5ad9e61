#if PostgreSQL
    import Logging
    public import MobiusJournal
    import MobiusJournalTables
    public import MobiusWire

    /// The shards of a journal in PostgreSQL and the processes that run them, for operators.
    ///
    /// It needs no coordinator. Calls come from one thread at a time and block it; they throw ``JournalError``, with code
    /// `notReadable` when the connection is lost.
    public final class PostgreSQLCluster {
        private let session: Session
        private let schema: Int64
        private let channel: String

        /// Connects to the journal at `url`.
        ///
        /// - Throws: ``JournalError``: `notReadable`, or `foreign` for anything but a journal of this format.
        public init(url: String) throws(JournalError) {
            session = try Session(try JournalURL(url), logger: Logger(label: "mobius.journal"))
            try session.requireFormat()
            schema = try LeaseTable.schema(session)
            channel = LeaseTable.channel(schema)
        }

        deinit {
            session.connection.close()
        }

        /// The shards with their leases, in the order of their numbers.
        public func shards() throws(JournalError) -> [ShardState] {
            try LeaseTable.read(schema: schema, session)
        }

        /// The processes that are there, in the order of their names.
        public func members() throws(JournalError) -> [ClusterMember] {
            LeaseTable.members(in: try run(LeaseTable.members))
        }

        /// Wants a shard to be run by this process, as long as that may get shards; by any, when it is `nil`.
        ///
        /// The processes see it within a quarter of a lease's time.
        ///
        /// - Returns: whether there is such a shard.
        public func want(_ shard: UInt32, _ process: Incarnation?) throws(JournalError) -> Bool {
            try run(LeaseTable.want(shard, process)).changes == 1
        }

        /// Wants a process to hand over all that it has, or no longer.
        ///
        /// The process sees it within a quarter of a lease's time; it goes on to stand by.
        ///
        /// - Returns: whether the process is there.
        public func drain(_ process: Incarnation, _ drains: Bool = true) throws(JournalError) -> Bool {
            try run(LeaseTable.drain(process, drains)).changes == 1
        }

        /// The outcome of ``split(_:patience:)``.
        public struct Split: Sendable {
            /// The new shard.
            public let shard: UInt32
            /// The number of its slices.
            public let slices: Int
            /// The number of its loops.
            public let loops: Int
        }

        /// Divides the slices of a shard, with their loops, between it and a new shard: the upper half goes to that.
        ///
        /// The coordinator that runs the shard hands it over to this process in order; then all rows of the loops are moved in one
        /// transaction, and any coordinators take both. Where this process ends before, nothing has changed. Effects of the new
        /// shard's loops that are under way at workers begin again.
        ///
        /// - Parameters:
        ///   - patience: The time to wait for the shard to be handed over.
        ///   - growsLimits: Whether limits that hold in each shard by itself may allow more in all then.
        /// - Returns: `nil` when there is no such shard.
        /// - Throws: ``JournalError``: `held` when the shard is not handed over in that time, `unsupported` when it has one slice,
        ///   there are as many shards as there may be, or limits must not grow and would, `outcomeUnknown` when the connection is
        ///   lost at the end.
        public func split(
            _ shard: UInt32, patience: Duration = .seconds(30), growsLimits: Bool = false
        ) throws(JournalError) -> Split? {
            var random = SystemRandomNumberGenerator()
            let guest = LeaseHolder(process: Incarnation.random(using: &random), name: "a split")
            guard let before = try shards().first(where: { $0.shard == shard }) else { return nil }
            if !growsLimits { try requireSharedLimits() }
            // Another split's wish ends with that.
            let guests = try members().filter(\.isGuest).map(\.process)
            let wanted = before.wanted.flatMap { guests.contains($0) ? nil : $0 }
            let (alarm, end) = (Alarm(), ContinuousClock.now + patience)
            // Of its own connection, because that of the split is in a transaction while rows are moved.
            let attendance = try Session(session.url, logger: Logger(label: "mobius.journal"))
            defer { attendance.connection.close() }
            func attend(for time: Duration) throws(JournalError) {
                do throws(PipelineError) {
                    _ = try attendance.connection.run([LeaseTable.attendAsGuest(guest, for: time)])
                } catch {
                    throw error.reading(session.url)
                }
            }
            var (sighting, since): (ShardState?, ContinuousClock.Instant) = (nil, .now)
            do throws(PipelineError) { try session.connection.execute(["LISTEN \(channel)"]) } catch {
                throw error.reading(session.url)
            }
            defer { _ = try? run(LeaseTable.resign(guest.process)) }
            do throws(JournalError) {
                while true {
                    try attend(for: .seconds(5))
                    _ = try want(shard, guest.process)
                    guard let state = try shards().first(where: { $0.shard == shard }) else { return nil }
                    // The database's clock may have been set: a lease is timed as by a coordinator that stands by.
                    if sighting?.epoch != state.epoch || sighting?.change != state.change {
                        (sighting, since) = (state, .now)
                    }
                    let lasts = (sighting?.lease?.remaining).map { min(max($0, .seconds(4)), .seconds(60)) } ?? .zero
                    let isFree = since.duration(to: .now) >= lasts
                    let split = ShardSplit(session: session, schema: schema, channel: channel) {
                        // Nobody can take the shard meanwhile, but others would try.
                        try? attend(for: .seconds(15))
                    }
                    let moving = try upperHalf(of: state)
                    if isFree, let done = try split.run(state, moving: moving, wanted: wanted) {
                        return Split(shard: done.shard, slices: moving.count, loops: done.loops)
                    }
                    guard ContinuousClock.now < end else { break }
                    do throws(PostgreSQLError) {
                        _ = try session.connection.awaitNotification(for: .milliseconds(100), orUntil: alarm)
                    } catch {
                        throw PipelineError(statement: 0, error: error).reading(session.url)
                    }
                }
            } catch {
                _ = try? want(shard, wanted)
                throw error
            }
            _ = try want(shard, wanted)
            throw JournalError(
                .held,
                "The coordinator that runs shard \(shard) has not handed it over in \(patience): nothing was changed. See "
                    + "its log, then try again.")
        }

        private func requireSharedLimits() throws(JournalError) {
            let names = try LimitTable.unshared(session)
            guard !names.isEmpty else { return }
            let shown = names.prefix(5).joined(separator: ", ") + (names.count > 5 ? " and others" : "")
            throw JournalError(
                .unsupported,
                "Limits that hold in each shard by itself were used, and with one shard more they allow more in all: \(shown). "
                    + "Give a limit the scope .cluster, or lower it and give --grow-limits; limits per key have no such scope."
            )
        }

        private func upperHalf(of shard: ShardState) throws(JournalError) -> SliceSet {
            guard shard.slices.count > 1 else {
                throw JournalError(.unsupported, "Shard \(shard.shard) has a single slice, which cannot be split.")
            }
            guard try shards().count < ClusterMap.maximumShards else {
                throw JournalError(.unsupported, "A journal has \(ClusterMap.maximumShards) shards at most.")
            }
            let slices = (0..<SliceSet.slices).filter(shard.slices.contains)
            var half = SliceSet()
            for slice in slices.suffix(slices.count / 2) { half.insert(slice) }
            return half
        }

        private func run(_ statement: SQLStatement) throws(JournalError) -> Rows {
            do throws(PipelineError) {
                return try session.connection.run([statement])[0]
            } catch {
                throw error.reading(session.url)
            }
        }
    }
#endif
