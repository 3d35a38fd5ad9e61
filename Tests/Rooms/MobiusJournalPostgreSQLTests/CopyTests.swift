#if PostgreSQL
    import FleetTestSupport
    import Foundation
    import JournalStoreCompatibility
    import MobiusJournal
    import MobiusJournalPostgreSQL
    import MobiusJournalSQLite
    import MobiusWire
    import TestTraits
    import Testing

    @Suite(
        "Copies between a file and PostgreSQL",
        .enabled(if: PostgreSQLServer.isTested, Comment(rawValue: PostgreSQLServer.reason)), .patient, .ownThread)
    struct CopyTests {
        private let folder: TestFolder
        private let server: PostgreSQLServer

        init() async throws {
            folder = try TestFolder()
            server = try await PostgreSQLServer.shared()
        }

        private func toDatabase(_ path: String) throws -> String {
            let url = server.url()
            try JournalInspector.locked(path) { source in
                let target = try CopiedDatabase(url: url, owner: source.owner())
                #expect(try JournalCopy.run(from: source, to: target).findings == [])
            }
            return url
        }

        private func toFile(_ url: String, _ name: String) throws -> String {
            let source = try PostgreSQLInspector(url: url, pinsSnapshot: true)
            let path = folder.file(name)
            let target = try CopiedFile(path, owner: source.owner())
            #expect(try JournalCopy.run(from: source, to: target).findings == [])
            return path
        }

        private func sums(_ url: String) throws -> JournalRowSums {
            try JournalCopy.sums(of: PostgreSQLInspector(url: url, pinsSnapshot: true))
        }

        private func sums(file: String) throws -> JournalRowSums {
            try JournalCopy.sums(of: JournalInspector(path: file, pinsSnapshot: true))
        }

        /// A journal that moves to the other kind of store whenever it is opened again.
        private final class Moving {
            var path: String?
            var url: String?
            var moves = 0
        }

        private func reopen(_ journal: Moving, build: String, history: KeptHistory) throws -> any JournalStore {
            if let path = journal.path {
                // Some checks write what no coordinator does; such journals are not copied.
                if try JournalInspector(path: path).verify().isSound {
                    (journal.path, journal.url) = (nil, try toDatabase(path))
                    journal.moves += 1
                }
            } else if let url = journal.url {
                if try PostgreSQLInspector(url: url).verify().isSound {
                    (journal.path, journal.url) = (try toFile(url, "\(journal.moves)"), nil)
                    journal.moves += 1
                }
            } else {
                journal.path = folder.file("first")
            }
            if let path = journal.path {
                return try SQLiteJournal(path: path, application: "torture", build: build, history: history)
            }
            return try open(try #require(journal.url), build: build, history: history)
        }

        @Test(
            "a journal that moves between two openings keeps every store's promises",
            arguments: JournalStoreCompatibility.checksOfRecords)
        func promise(_ check: JournalStoreCompatibility.Check) throws {
            let journal = Moving()
            try check.run { build in try reopen(journal, build: build, history: .needed) }
        }

        @Test("and the history it should", arguments: JournalStoreCompatibility.windowChecks)
        func history(_ check: JournalStoreCompatibility.WindowCheck) throws {
            let journal = Moving()
            try check.run { history in try reopen(journal, build: "1", history: history) }
        }

        @Test("every row of every table is in the copy, and in the copy of the copy")
        func rows() throws {
            let path = folder.file("source")
            let store = try SQLiteJournal(
                path: path, application: "torture", build: "1.0 \u{e9}", history: .window(HistoryWindow(bytes: 1 << 30))
            )
            try FullJournal.fill(store)
            store.close()
            let before = try sums(file: path)
            for table in JournalTable.allCases { #expect(before.count(table) > 0, "\(table)") }
            let url = try toDatabase(path)
            #expect(try sums(url) == before)
            let back = try toFile(url, "back")
            #expect(try sums(file: back) == before)
            #expect(try sums(file: path) == before, "the source is as it was")
            let again = try toDatabase(back)
            #expect(try sums(again) == before)
            // Both go on.
            for store in [
                try SQLiteJournal(path: back, application: "torture", build: "2") as any JournalStore,
                try open(again),
            ] {
                #expect(try store.activeLoops().map(\.name) == ["main", "ended", "again", "a\0b \u{e9} e\u{301}"])
                #expect(try store.idleTotals() == IdleTotals(loops: 1, events: 0))
                #expect(try store.confirmation(of: "key\0 of a \u{1F34F}", in: store.loops()[4])?.number == 1)
                try store.commit(History.batch(after: 400, count: 20))
                #expect(try RecoveredLoop.read(.main, from: store).loop.lastSequence == 420)
                store.close()
            }
            #expect(try JournalInspector(path: back).verify().findings == [])
            #expect(try PostgreSQLInspector(url: again).verify().findings == [])
        }

        private func copy(_ from: String, _ to: String) async throws -> (end: TestProcess.End, said: String) {
            let process = try TestProcess("mobius", ["journal", "copy", from, to])
            let end = try await process.end()
            return (end, (process.output.elements + process.errors.elements).joined(separator: "\n"))
        }

        @Test("the command copies both ways, and never over another journal, nor one that is open")
        func command() async throws {
            let path = folder.file("source")
            let store = try SQLiteJournal(path: path, application: "torture", build: "1")
            try store.commit([History.start] + History.batch(after: 0, count: 30))
            let url = server.url()
            let held = try await copy(path, url)
            #expect(held.end == .exited(75), "\(held.said)")
            store.close()
            let copied = try await copy(path, url)
            #expect(copied.end == .exited(0) && copied.said.contains("is sound: 31 records"), "\(copied.said)")
            let second = try await copy(path, url)
            #expect(second.end == .exited(73) && second.said.contains("already"), "\(second.said)")
            #expect(try await copy(url, path).end == .exited(73))
            let back = folder.file("back")
            #expect(try await copy(url, back).end == .exited(0))
            #expect(try sums(file: back) == sums(file: path))
            let leases = try openLeases(url)
            let holder = LeaseHolder(process: Incarnation(high: 1, low: 2), name: "host:1")
            let epoch = try #require(try leases.acquire(leases.shards()[0], as: holder, for: .seconds(600)))
            let run = try await copy(url, folder.file("later"))
            #expect(run.end == .exited(75) && run.said.contains("host:1 runs the loops"), "\(run.said)")
            try leases.release(0, epoch: epoch, possibleHolders: nil)
            leases.close()
            #expect(try await copy(url, folder.file("later")).end == .exited(0))
            #expect(try await copy(path, folder.file("x")).end == .exited(64))
            let empty = try journal(in: server)
            #expect(try await copy(empty, folder.file("y")).end == .exited(74))
            #expect(!FileManager.default.fileExists(atPath: folder.file("y")))
        }

        @Test("a journal that is run is backed up to a file, from which another one is restored")
        func backup() async throws {
            let url = try journal(in: server)
            let store = try open(url)
            try store.commit([History.start] + History.batch(after: 0, count: 30))
            let (backup, restored, moved) = (folder.file("backup"), folder.file("restored"), server.url())
            func mobius(_ arguments: String...) async throws -> TestProcess.End {
                try await TestProcess("mobius", ["journal"] + arguments).end()
            }
            #expect(try await mobius("backup", url, backup) == .exited(0))
            #expect(try sums(file: backup) == sums(url))
            // The writer goes on, and the backup stays as it is.
            try store.commit(History.batch(after: 30, count: 5))
            store.close()
            #expect(try await mobius("backup", url, backup) == .exited(73))
            #expect(try await mobius("backup", url, moved) == .exited(64))
            #expect(try await mobius("restore", backup, restored) == .exited(0))
            #expect(try await mobius("copy", restored, moved) == .exited(0))
            let next = try open(moved)
            #expect(next.identity != store.identity)
            #expect(try RecoveredLoop.read(.main, from: next).loop.lastSequence ?? 0 >= 30)
            next.close()
            let cluster = try journal(in: server, shards: 2)
            #expect(try await mobius("backup", cluster, folder.file("z")) == .exited(64))
        }

        @Test(
            "a damaged journal is not copied",
            arguments: ["UPDATE runs SET content = '\\x00'", "UPDATE outside_keys SET sequence = sequence + 1"])
        func damaged(_ sql: String) async throws {
            let url = try journal(in: server)
            let store = try open(url)
            try store.commit([History.start] + History.batch(after: 0, count: 30))
            store.close()
            try await server.sql(sql, at: url)
            let target = folder.file("target")
            #expect(try await copy(url, target).end == .exited(74))
            #expect(!FileManager.default.fileExists(atPath: target))
            let other = server.url()
            #expect(try await copy(url, other).end == .exited(74))
            #expect(try await server.sql("SELECT count(*) FROM runs", at: other) == "0")
        }
    }
#endif
