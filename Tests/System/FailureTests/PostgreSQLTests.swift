#if PostgreSQL
    import Bank
    import BankFleet
    import FleetTestSupport
    import Foundation
    import MobiusWire
    import TestTraits
    import Testing

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Darwin)
        import Darwin
    #endif

    /// A bank whose journal is in PostgreSQL: deaths of the coordinator, of the database, and of neither.
    @Suite(
        "A fleet with its journal in PostgreSQL",
        .enabled(if: PostgreSQLServer.isTested, Comment(rawValue: PostgreSQLServer.reason)), .patient)
    struct PostgreSQLTests {
        private let bank: BankProcesses

        init() throws {
            bank = try BankProcesses()
        }

        /// The URL of an empty journal.
        private func journal(in server: PostgreSQLServer) async throws -> String {
            let url = server.url()
            #expect(try await bank.journal("init", url) == .exited(0))
            return url
        }

        /// A coordinator in the bank's folder, where its breadcrumb is.
        private func coordinator(
            _ url: String, failpoints: String? = nil, bind: String? = nil, _ options: [String] = []
        ) throws -> TestProcess {
            try bank.coordinator(
                failpoints: failpoints, journal: url, bind: bind, options,
                wrapper: ["/usr/bin/env", "-C", bank.folder.path])
        }

        /// Waits until nothing is under way, and says what is wrong.
        private func complaints(
            _ coordinator: TestProcess, _ server: PostgreSQLServer, _ url: String
        ) async throws -> [String] {
            let model = try await bank.finish(coordinator)
            #expect(try await bank.journal("verify", url) == .exited(0))
            return Verdict.complaints(
                about: model, journal: try await JournalAudit(server, url), ledgers: try bank.ledger(),
                confirmed: bank.confirmed)
        }

        @Test("the connection that reads for clients ends: the next question opens another, and nothing else happens")
        func readerEnded() async throws {
            let server = try await PostgreSQLServer.shared()
            let url = try await journal(in: server)
            let name = "reads-\(UUID().uuidString)"
            let coordinator = try coordinator("\(url)&application_name=\(name)")
            try await bank.openAccounts(at: coordinator)
            let before = try await bank.mobius("history", "--full")
            #expect(before.end == .exited(0) && before.said.count > 1, "\(before.said)")
            let ended = try await server.sql(
                """
                SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = '\(name)'
                    AND pid NOT IN (SELECT backend FROM shards WHERE backend IS NOT NULL
                        UNION SELECT backend FROM leases WHERE backend IS NOT NULL)
                """, at: url)
            #expect(ended == "1")
            let after = try await bank.mobius("history", "--full")
            #expect(after.end == .exited(0) && after.said == before.said, "\(after.said)")
            #expect(!coordinator.isGone)
        }

        @Test(
            "SIGKILL of the coordinator: what was confirmed is there, and nothing is twice",
            arguments: [
                "coordinator.before-commit", "coordinator.after-commit", "coordinator.after-send",
                "coordinator.after-ack",
            ])
        func killed(_ place: String) async throws {
            let server = try await PostgreSQLServer.shared()
            let url = try await journal(in: server)
            let worker = try bank.worker("w")
            let first = try coordinator(url)
            try await bank.openAccounts(at: first)
            try await first.kill()
            var transfers = 0
            for count in 1...8 {
                let coordinator = try coordinator(url, failpoints: "\(place)=kill@\(count)")
                // One after the other, so that each is a commit, orders and acknowledgements of its own.
                repeat {
                    transfers += 1
                    bank.order("transfer t\(transfers) 1,2,3 10 letter watched")
                    bank.order("list l\(transfers) 3")
                } while try await bank.place(at: coordinator)
                #expect(try await coordinator.end() == .signalled(SIGKILL))
            }
            let last = try coordinator(url)
            #expect(try await bank.place(at: last))
            #expect(try await complaints(last, server, url) == [])
            let model = try await bank.model(of: last)
            #expect(model.transfers.count == transfers)
            #expect(model.transfers.filter { $0.value.state != .done }.mapValues(\.state) == [:])
            #expect(try await coordinator(url, ["--verify"]).end() == .exited(0))
            let bookings = try bank.ledger().count { $0.entry.deed.isBooking }
            #expect(bookings == 2 * transfers)
            #expect(try bank.ledger().allSatisfy { $0.entry.deed.isBooking || $0.asked == 1 })
            withExtendedLifetime(worker) {}
        }

        @Test("without its database, a coordinator does not start: it exits with 75 and says why")
        func withoutDatabase() async throws {
            let server = try await PostgreSQLServer()
            let url = try await journal(in: server)
            try await server.kill()
            let coordinator = try coordinator(url)
            #expect(try await coordinator.end() == .exited(75))
            #expect(coordinator.logged("PostgreSQL cannot be reached") + coordinator.logged("was lost") > 0)
        }

        @Test("a journal that moves from a file to PostgreSQL and back, with work under way, loses nothing")
        func moved() async throws {
            let server = try await PostgreSQLServer.shared()
            let worker = try bank.worker("w")
            let first = try bank.coordinator()
            try await bank.openAccounts(at: first)
            var transfers = 0
            func orderMore() {
                for _ in 0..<5 {
                    transfers += 1
                    bank.order("transfer t\(transfers) 1,2,3 10 letter watched")
                }
            }
            orderMore()
            try await bank.place(at: first)
            try await first.kill()
            let url = server.url()
            #expect(try await bank.journal("copy", bank.journal, url) == .exited(0))
            let second = try coordinator(url)
            orderMore()
            try await bank.place(at: second)
            try await second.kill()
            let back = bank.folder.file("back")
            #expect(try await bank.journal("copy", url, back) == .exited(0))
            let third = try bank.coordinator(journal: back)
            orderMore()
            #expect(try await bank.place(at: third))
            #expect(try await bank.complaints(third, journal: back) == [])
            #expect(try await bank.model(of: third).transfers.count == transfers)
            #expect(try bank.ledger().count { $0.entry.deed.isBooking } == 2 * transfers)
            #expect(try bank.ledger().allSatisfy { $0.entry.deed.isBooking || $0.asked == 1 })
            withExtendedLifetime(worker) {}
        }
    }
#endif
