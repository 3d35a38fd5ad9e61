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
            #expect(try await bank.model(of: last).transfers.count == transfers)
            #expect(try await coordinator(url, ["--verify"]).end() == .exited(0))
            #expect(try bank.ledger().count { $0.entry.deed.isBooking } == 2 * transfers)
            #expect(try bank.ledger().allSatisfy { $0.entry.deed.isBooking || $0.asked == 1 })
            withExtendedLifetime(worker) {}
        }

        @Test("SIGKILL of PostgreSQL: the coordinator exits with 75, and the next one goes on", arguments: 1...3)
        func databaseKilled(round: Int) async throws {
            let server = try await PostgreSQLServer()
            let url = try await journal(in: server)
            let worker = try bank.worker("w")
            let first = try coordinator(url)
            try await bank.openAccounts(at: first)
            for number in 0..<10 * round { bank.order("transfer t\(number) 1,2,3 10 letter") }
            let placing = Task { try await bank.place(at: first) }
            try await eventually("some transfers are in the ledger") { try bank.ledger().count >= 2 * round }
            try await server.kill()
            // Idle, it would notice with its next commit only.
            bank.order("transfer late 1,2,3 10")
            try? first.type("transfer late 1,2,3 10\n")
            #expect(try await first.end() == .exited(75), "\(first.errors.elements.suffix(3))")
            _ = try await placing.value
            #expect(try await coordinator(url).end() == .exited(75))
            try await server.start()
            let second = try coordinator(url)
            #expect(try await bank.place(at: second))
            #expect(try await complaints(second, server, url) == [])
            withExtendedLifetime(worker) {}
        }

        @Test("a coordinator that was replaced exits with 78 before it tells anybody anything")
        func replaced() async throws {
            let server = try await PostgreSQLServer.shared()
            let url = try await journal(in: server)
            let first = try coordinator(url)
            try await bank.openAccounts(at: first)
            let second = try coordinator(url, bind: "ipc://\(bank.folder.file("s2"))")
            _ = try await bank.model(of: second)
            bank.order("transfer t 1,2,3 10")
            #expect(try await bank.place(at: first) == false)
            #expect(try await first.end() == .exited(78), "\(first.errors.elements.suffix(3))")
            // Its sender was told nothing, asks the second, and is served once.
            let worker = try bank.worker("w", connect: "ipc://\(bank.folder.file("s2"))")
            #expect(try await bank.place(at: second))
            #expect(try await complaints(second, server, url) == [])
            #expect(try bank.ledger().map(\.asked) == [1, 1])
            withExtendedLifetime(worker) {}
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

    extension JournalAudit {
        /// Reads a journal in PostgreSQL with `psql`, with no code of the journal's.
        init(_ server: PostgreSQLServer, _ url: String) async throws {
            let text = try await server.sql(
                "SELECT loop, sequence, part, encode(content, 'hex') FROM runs ORDER BY loop, sequence, part", at: url)
            let rows = text.split(separator: "\n").map { line in
                let columns = line.split(separator: "|", omittingEmptySubsequences: false)
                return (
                    Int(columns[0]) ?? -1, Int(columns[1]) ?? -1, Int(columns[2]) ?? -1, Data(Self.bytes(columns[3]))
                )
            }
            let known = try await server.sql("SELECT convert_from(key, 'UTF8') FROM outside_keys", at: url)
            let epochs = try await server.sql("SELECT count(*) FROM epochs", at: url)
            try self.init(
                rows: rows, keys: known.split(separator: "\n").map(String.init), epochs: Int(epochs) ?? 0)
        }

        private static func bytes(_ hex: Substring) -> [UInt8] {
            let digits = Array(hex.utf8)
            return stride(from: 0, to: digits.count - 1, by: 2).map { index in
                UInt8(String(decoding: digits[index...index + 1], as: UTF8.self), radix: 16) ?? 0
            }
        }
    }
#endif
