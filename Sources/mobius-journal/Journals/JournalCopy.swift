import ArgumentParser
import Foundation
import MobiusJournal
import MobiusJournalPostgreSQL
import MobiusJournalSQLite
import MobiusProcess

/// The command `mobius journal copy FROM TO`.
struct JournalCopyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "copy", abstract: "Moves a journal between a file and PostgreSQL, both ways.",
        discussion: """
            Stop the coordinator first: the copy is the same journal, with the same identity, and the next coordinator is \
            started with it. What a coordinator would still write to FROM would not be in it; the two must not be used \
            beside each other. FROM is not changed; a file is locked until the end. Nothing is lost or sent again: \
            workers that still run join the next coordinator as after any restart.

            All rows are copied, read back, compared and verified before TO is there: a file gets its name then, and in \
            PostgreSQL all is one transaction. TO must not exist; in PostgreSQL, its schema is made, or has an empty \
            journal of `mobius journal init`.

            FROM in PostgreSQL must not be run by a coordinator when the command begins, nor be started before its end.

            Exit codes: 0; 73 when TO exists or cannot be written; \(JournalCommand.exitCodes)

            Examples:
              mobius journal copy site-audit.journal 'postgresql://fleet@db.example.org/fleet?schema=site_audit'
              mobius journal copy 'postgresql://fleet@db.example.org/fleet?schema=site_audit' site-audit.journal
            """)

    @Argument(help: "The journal's file or URL.", completion: .file())
    var from: String

    @Argument(help: "The file or URL to make.", completion: .file())
    var to: String

    @OptionGroup var outcome: OutcomeOptions

    func run() async throws {
        try await JournalCommand.reporting { try copy() }
    }

    private func copy() throws {
        let places = [from, to].map { JournalOpener.scheme(of: $0) }
        for case let scheme? in places { try JournalPlace.require(scheme) }
        guard places != [nil, nil] else {
            throw FleetExit(.usage, "From file to file, use `mobius journal backup`.")
        }
        for (place, scheme) in zip([from, to], places) where scheme != nil {
            // One that is not there yet has none.
            guard let shards = try? JournalPlace.shards(place), shards.count > 1 else { continue }
            throw FleetExit(
                .usage,
                "\(JournalPlace.shown(place)) has \(shards.count) shards: only a journal of one shard can be copied.")
        }
        if places[0] == nil {
            try JournalInspector.locked(from) { try move($0) }
        } else {
            #if PostgreSQL
                try requireStopped()
                try move(PostgreSQLInspector(url: from, pinsSnapshot: true))
            #else
                throw JournalError.withoutPostgreSQL(JournalPlace.shown(from))
            #endif
        }
    }

    #if PostgreSQL
        /// Fails when a coordinator runs the loops; the lease of one that was killed is waited for.
        private func requireStopped() throws {
            let cluster = try PostgreSQLCluster(url: from)
            func lease() throws -> Lease? {
                try cluster.shards().first?.lease.flatMap { $0.remaining > .zero ? $0 : nil }
            }
            if let lease = try lease(), !lease.isConnected, lease.remaining < .seconds(10) {
                Thread.sleep(forTimeInterval: lease.remaining / .seconds(1))
            }
            if let lease = try lease() {
                throw FleetExit(
                    .temporaryFailure,
                    "The coordinator \(TerminalText.line(lease.holder.name)) runs the loops of "
                        + "\(JournalPlace.shown(from)): stop it, then copy.")
            }
        }
    #endif

    private func move(_ source: any JournalRowSource) throws {
        let report = try Self.copy(source, to: to)
        outcome.show("\(TerminalText.line(JournalPlace.shown(to))) is sound: \(report.summary)") { line in
            line = report.jsonLine
            line.set("journal", JournalPlace.shown(to))
        }
    }

    /// Copies a journal to a file or a database, which is there once all of it was read back and is sound.
    static func copy(_ source: any JournalRowSource, to: String) throws -> JournalReport {
        let owner = try source.owner()
        let target: any JournalRowTarget
        if JournalOpener.scheme(of: to) == nil {
            target = try CopiedFile(to, owner: owner)
        } else {
            #if PostgreSQL
                target = try CopiedDatabase(url: to, owner: owner)
            #else
                throw JournalError.withoutPostgreSQL(JournalPlace.shown(to))
            #endif
        }
        let report = try JournalCopy.run(from: source, to: target)
        guard report.isSound else {
            for finding in report.findings { print(TerminalText.line("\(finding)")) }
            throw FleetExit(.dataError, "The journal is damaged, so it was not copied.")
        }
        return report
    }
}
