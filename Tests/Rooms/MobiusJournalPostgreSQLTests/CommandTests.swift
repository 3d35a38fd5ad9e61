#if PostgreSQL
    import FleetTestSupport
    import JournalStoreCompatibility
    import MobiusJournal
    import MobiusJournalPostgreSQL
    import MobiusWire
    import TestTraits
    import Testing

    @Suite(
        "mobius journal with a URL",
        .enabled(if: PostgreSQLServer.isTested, Comment(rawValue: PostgreSQLServer.reason)), .patient)
    struct CommandTests {
        private func journal(_ arguments: String...) async throws -> (end: TestProcess.End, said: String) {
            let process = try TestProcess("mobius", ["journal"] + arguments)
            let end = try await process.end()
            return (end, (process.output.elements + process.errors.elements).joined(separator: "\n"))
        }

        @Test("init makes the journal once; info, show and verify read it, with its writer or without")
        func reads() async throws {
            let server = try await PostgreSQLServer.shared()
            let url = server.url()
            #expect(try await journal("init", url).said.contains("has an empty journal"))
            #expect(try await journal("init", url).said.contains("has a journal already"))
            let store = try open(url)
            try store.commit([History.start] + History.batch(after: 0, count: 30))
            try store.save(History.snapshot(at: 30))
            for _ in 0..<2 {
                let info = try await journal("info", url)
                #expect(info.end == .exited(0) && info.said.contains("torture"), "\(info.said)")
                #expect(info.said.contains("main"))
                let show = try await journal("show", url, "--limit", "3")
                #expect(show.end == .exited(0) && show.said.contains("#30"), "\(show.said)")
                let verify = try await journal("verify", url)
                #expect(verify.said.contains("31 records, 1 snapshot, 1 loop"), "\(verify.said)")
            }
            store.close()
            try await server.sql("UPDATE runs SET content = '\\x00'", at: url)
            #expect(try await journal("verify", url).end == .exited(74))
        }

        @Test("what has no journal, what is not there and what only files have is refused with what to do")
        func refusals() async throws {
            let url = try await PostgreSQLServer.shared().url()
            let empty = try await journal("info", url)
            #expect(empty.end == .exited(74) && empty.said.contains("mobius journal init"), "\(empty.said)")
            let nowhere = try await journal("verify", "postgresql://app:s3cret@127.0.0.1:1/x")
            #expect(nowhere.end == .exited(66) && !nowhere.said.contains("s3cret"), "\(nowhere.said)")
            #expect(try await journal("backup", url, "/nowhere/a").end == .exited(74))
            let refused = try await journal("restore", url, "/nowhere/a")
            #expect(refused.end == .exited(64) && refused.said.contains("pg_dump"), "\(refused.said)")
            let other = try await journal("info", "mysql://app@127.0.0.1/x")
            #expect(other.end == .exited(64) && other.said.contains("postgresql://"), "\(other.said)")
            #expect(try await journal("init", "a.journal").end == .exited(64))
        }
    }
#else
    import FleetTestSupport
    import MobiusJournal
    import MobiusJournalPostgreSQL
    import TestTraits
    import Testing

    @Suite("A build without libpq", .patient)
    struct CommandTests {
        @Test("a URL of PostgreSQL is refused with what to build with, and without its password")
        func refusal() async throws {
            for command in ["init", "info", "show", "verify"] {
                let process = try TestProcess("mobius", ["journal", command, "postgresql://app:s3cret@127.0.0.1/x"])
                #expect(try await process.end() == .exited(64))
                let said = process.errors.elements.joined(separator: "\n")
                #expect(said.contains("--traits PostgreSQL") && !said.contains("s3cret"), "\(said)")
            }
        }
    }
#endif
