#if PostgreSQL
    import FleetTestSupport
    import MobiusJournal
    import MobiusJournalPostgreSQL
    import MobiusWire
    import TestTraits
    import Testing

    @Suite(
        "mobius cluster", .enabled(if: PostgreSQLServer.isTested, Comment(rawValue: PostgreSQLServer.reason)), .patient)
    struct ClusterCommandTests {
        private let url: String

        init() async throws {
            url = try await PostgreSQLServer.shared().url()
        }

        private func cluster(_ arguments: String...) async throws -> (end: TestProcess.End, said: String) {
            try await cluster(arguments)
        }

        private func cluster(_ arguments: [String]) async throws -> (end: TestProcess.End, said: String) {
            let process = try TestProcess("mobius", ["cluster"] + arguments)
            let end = try await process.end()
            return (end, (process.output.elements + process.errors.elements).joined(separator: "\n"))
        }

        @Test("init makes so many shards once, and never another number of them")
        func initialises() async throws {
            let made = try await cluster("init", url, "--shards", "3", "--json")
            #expect(made.end == .exited(0) && made.said.contains(#""made":true"#), "\(made.said)")
            let again = try await cluster("init", url, "--shards", "3")
            #expect(
                again.end == .exited(0) && again.said.contains("has a journal of 3 shards already"), "\(again.said)")
            let other = try await cluster("init", url, "--shards", "4")
            #expect(other.end == .exited(64) && other.said.contains("?schema=NAME"), "\(other.said)")
            for shards in ["0", "257", "-1", "two"] {
                #expect(try await cluster("init", url, "--shards=\(shards)").end == .exited(64), "\(shards)")
            }
        }

        @Test(
            "status shows shards, leases and processes; move, drain and split say what is wrong, and do what is right")
        func operates() async throws {
            try PostgreSQLSchema.prepare(url: url, shards: 2)
            let leases = try openLeases(url)
            let holder = LeaseHolder(
                process: Incarnation(high: 7, low: 8), name: "host:1", workers: "tcp://host:5711",
                clients: "tcp://host:5712")
            _ = try leases.attend(as: holder, isReady: true, for: .seconds(600))
            let epoch = try #require(try leases.acquire(leases.shards()[1], as: holder, for: .seconds(600)))
            let status = try await cluster("status", url)
            #expect(status.end == .exited(0), "\(status.said)")
            for part in ["nobody", "host:1", "tcp://host:5711", "\(epoch)", "ready"] {
                #expect(status.said.contains(part), "\(part): \(status.said)")
            }
            let json = try await cluster("status", url, "--json")
            #expect(json.said.contains(#""runBy":"host:1""#) && json.said.contains(#""state":"ready""#), "\(json.said)")
            #expect(try await cluster("move", url, "0", "host:1").end == .exited(0))
            #expect(try leases.shards().map(\.wanted) == [holder.process, nil])
            let unknown = try await cluster("move", url, "0", "host:2")
            #expect(unknown.end == .exited(64) && unknown.said.contains("These are there: host:1"), "\(unknown.said)")
            #expect(try await cluster("move", url, "2").said.contains("the shards are 0 to 1"))
            #expect(try await cluster("drain", url, holder.process.description).end == .exited(0))
            #expect(try await cluster("status", url).said.contains("draining"))
            #expect(try await cluster("drain", url, "host:1", "--undo").end == .exited(0))
            let split = try await cluster("split", url, "0", "--json")
            #expect(split.end == .exited(0) && split.said.contains(#""shard":2"#), "\(split.said)")
            #expect(try leases.shards().map(\.slices.count) == [256, 512, 256])
            let none = try await cluster("split", url, "3")
            #expect(none.end == .exited(64) && none.said.contains("the shards are 0 to 2"), "\(none.said)")
            leases.close()
        }

        @Test("a file, a database without a journal and one that is not there are refused with what to do")
        func refusals() async throws {
            for command in ["status", "split"] {
                let shard = command == "split" ? ["0"] : []
                let file = try await cluster([command, "site.journal"] + shard)
                #expect(file.end == .exited(64) && file.said.contains("postgresql:// URL"), "\(file.said)")
                let empty = try await cluster([command, url] + shard)
                #expect(empty.end == .exited(74) && empty.said.contains("mobius journal init"), "\(empty.said)")
                let nowhere = try await cluster([command, "postgresql://app:s3cret@127.0.0.1:1/x"] + shard)
                #expect(nowhere.end == .exited(66) && !nowhere.said.contains("s3cret"), "\(nowhere.said)")
            }
        }
    }
#endif
