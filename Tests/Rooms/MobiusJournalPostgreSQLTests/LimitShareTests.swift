#if PostgreSQL
    import FleetTestSupport
    import MobiusJournal
    import MobiusJournalPostgreSQL
    import MobiusWire
    import TestTraits
    import Testing

    @Suite(
        "Shares of limits in PostgreSQL",
        .enabled(if: PostgreSQLServer.isTested, Comment(rawValue: PostgreSQLServer.reason)), .patient)
    struct LimitShareTests {
        private static let few = LimitKey("few \u{e9}\0", .concurrency)
        private let holder = LeaseHolder(process: Incarnation(high: 1, low: 2), name: "first")
        private let server: PostgreSQLServer
        private let url: String
        private let leases: PostgreSQLLeases
        /// The epochs of two shards.
        private let epochs: [UInt64]

        init() async throws {
            server = try await PostgreSQLServer.shared()
            url = try journal(in: server, shards: 2)
            leases = try openLeases(url)
            epochs = try leases.shards().map { [leases, holder] in
                try #require(try leases.acquire($0, as: holder, for: .seconds(600)))
            }
        }

        private func claim(
            _ units: Int, of key: LimitKey = few, total: Int = 5, period: Duration = .zero, shard: UInt32 = 0,
            wanted: Int = 0, epoch: UInt64? = nil
        ) throws -> LimitOutcome? {
            let row = try share(key, shard: shard)
            let claim = LimitClaim(
                key, total: total, period: period, seen: row?.units ?? 0, change: row?.change ?? 0, units: units,
                wanted: wanted)
            return try leases.claim(
                [claim], for: shard, epoch: epoch ?? epochs[Int(shard)], within: .seconds(30)
            ).first
        }

        private func share(_ key: LimitKey = few, shard: UInt32 = 0) throws -> LimitShare? {
            try leases.limitShares(within: .seconds(30)).first { $0.key == key && $0.shard == shard }
        }

        @Test("shares grow while the sum allows it, and shrink always; each claim changes its number")
        func claims() throws {
            #expect(try leases.limitShares(within: .seconds(30)) == [])
            #expect(try claim(3, wanted: 7) == .granted(isRested: true))
            let first = try #require(try share())
            #expect(first.units == 3 && first.wanted == 7 && first.change == 1)
            #expect(first.age >= .zero && first.silence >= .zero)
            #expect(try claim(3, shard: 1) == .refused)
            #expect(try share(shard: 1) == nil)
            #expect(try claim(2, shard: 1) == .granted(isRested: true))
            #expect(try claim(4) == .refused && claim(3) == .granted(isRested: true))
            #expect(try share()?.change == 2 && share()?.wanted == 0)
            #expect(try #require(try share()).age > first.age, "the units are the same")
            // The total has become smaller.
            #expect(try claim(2, total: 1) == .granted(isRested: true))
            #expect(try share()?.units == 2)
            // Another resource, and another name.
            #expect(try claim(5, of: LimitKey("few", .concurrency)) == .granted(isRested: true))
            #expect(try claim(5, of: LimitKey(Self.few.name, .rate)) == .granted(isRested: true))
            leases.close()
        }

        @Test("a claim that names an earlier one takes no effect")
        func lateClaim() throws {
            #expect(try claim(1) == .granted(isRested: true))
            let late = LimitClaim(Self.few, total: 5, seen: 0, change: 0, units: 4, wanted: 4)
            let key = LimitKey("more", .concurrency)
            let other = LimitClaim(key, total: 5, seen: 0, change: 0, units: 2, wanted: 2)
            let outcomes = try leases.claim([late, other], for: 0, epoch: epochs[0], within: .seconds(30))
            #expect(outcomes == [.refused, .granted(isRested: true)])
            #expect(try share()?.units == 1 && share(key)?.units == 2)
            leases.close()
        }

        @Test("the owner of an earlier epoch claims nothing")
        func fenced() throws {
            #expect(try claim(3) == .granted(isRested: true))
            let shard = try leases.shards()[0]
            let next = try #require(try leases.acquire(shard, as: holder, for: .seconds(600)))
            #expect(try claim(1, epoch: epochs[0]) == .refused)
            #expect(try share()?.units == 3)
            #expect(try claim(1, epoch: next) == .granted(isRested: true))
            leases.close()
        }

        @Test("units of a rate are rested when none was given up for its period")
        func rested() throws {
            let rate = LimitKey("rate", .rate)
            #expect(try claim(5, of: rate, period: .seconds(600)) == .granted(isRested: true))
            #expect(try claim(2, of: rate, period: .seconds(600)) == .granted(isRested: true))
            #expect(try claim(3, of: rate, period: .seconds(600), shard: 1) == .granted(isRested: false))
            #expect(try claim(3, of: rate, period: .microseconds(1), shard: 1) == .granted(isRested: true))
            leases.close()
        }

        @Test("a claim does not wait for long for another's")
        func locked() async throws {
            #expect(try claim(1) == .granted(isRested: true))
            let other = try await server.session("BEGIN; UPDATE limit_shares SET wanted = wanted;", at: url)
            let claim = LimitClaim(Self.few, total: 5, seen: 1, change: 1, units: 2, wanted: 2)
            let outcomes = try leases.claim([claim], for: 0, epoch: epochs[0], within: .seconds(4))
            #expect(outcomes == [.refused])
            try other.endInput()
            try await other.end()
            try await eventually("it goes on") { try self.claim(2) == .granted(isRested: true) }
            leases.close()
        }

        @Test("shards that claim at the same time get no more than there is")
        func race() async throws {
            let others = try (0..<2).map { _ in try openLeases(url) }
            for round in 1...20 {
                let key = LimitKey("round \(round)", .concurrency)
                let attempts = others.enumerated().map { shard, store in
                    let claim = LimitClaim(key, total: 5, seen: 0, change: 0, units: 3, wanted: 3)
                    return Later { [epochs] in
                        Result {
                            try store.claim([claim], for: UInt32(shard), epoch: epochs[shard], within: .seconds(30))
                        }
                    }
                }
                var granted = 0
                for attempt in attempts where try await attempt.value().get() != [.refused] { granted += 1 }
                #expect(granted == 1)
            }
            for store in others + [leases] { store.close() }
        }
    }
#endif
