import ArgumentParser
import Foundation
import MobiusJournal
import MobiusJournalPostgreSQL
import MobiusJournalSQLite
import MobiusProcess
import MobiusWire

/// The command `mobius journal verify FILE`.
struct JournalVerify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Reads a whole journal and checks that it is what was written.",
        discussion: """
            It checks the file, the order of events, the sources, the effects and the hashes of snapshots. Only the \
            program itself can check that it computes the same models again: start its coordinator with --verify.

            Exit codes: 0 when it is sound; 74 with each finding in a line when it is not; \(JournalCommand.exitCodes)
            """)

    @Argument(help: "The journal's file or URL.", completion: .file())
    var file: String

    @Flag(help: "One JSON object per shard instead of lines.")
    var json = false

    func run() async throws {
        var isSound = true
        try await JournalCommand.withShards(file) { shard, journal in
            let progress = ProgressLine("Verifying")
            let report = try journal.verify { progress.show($0, of: $1) }
            progress.end()
            isSound = isSound && report.isSound
            if json {
                var line = report.jsonLine
                line.set("shard", shard)
                return print(line.text)
            }
            for finding in report.findings { print(TerminalText.line("\(finding)")) }
            guard report.isSound else { return }
            let part = shard.map { "Shard \($0) of " } ?? ""
            print("\(part)\(TerminalText.line(JournalPlace.shown(file))) is sound: \(report.summary)")
        }
        guard !isSound else { return }
        try await JournalCommand.reporting {
            throw FleetExit(
                .dataError,
                "The journal \(JournalPlace.shown(file)) is damaged: restore a backup, or ask for help before you start a coordinator "
                    + "with it.")
        }
    }
}

/// The command `mobius journal backup FILE TARGET`.
struct JournalBackup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Copies a journal to a new file and verifies the copy.",
        discussion: """
            The journal may be in use: the copy contains what was committed when the command began. It is written as \
            TARGET-partial, and gets its name when it is complete, on disk and sound. To continue from it, use `mobius \
            journal restore`. Only a copy that replaces a journal which was not written since, for example when the \
            journal moves to another disk, is used directly.

            A journal in PostgreSQL that has one shard is copied to a file, too; to continue from it in PostgreSQL, restore it and \
            `mobius journal copy` the result. One of several shards is backed up with pg_dump, or with its server.

            Exit codes: 0; 73 when the target exists or cannot be written; \(JournalCommand.exitCodes)
            """)

    @Argument(help: "The journal's file or URL.", completion: .file())
    var file: String

    @Argument(help: "The file to make; it must not exist.", completion: .file())
    var target: String

    @OptionGroup var outcome: OutcomeOptions

    func run() async throws {
        guard [file, target].allSatisfy({ JournalOpener.scheme(of: $0) == nil }) else {
            return try await JournalCommand.reporting { try backUpDatabase() }
        }
        try await JournalCommand.withFile(file) { journal in
            let progress = ProgressLine("Copying")
            let report = try journal.backup(to: target) { progress.show($0, of: $1) }
            progress.end()
            guard report.isSound else {
                for finding in report.findings { print(TerminalText.line("\(finding)")) }
                throw FleetExit(.dataError, "The copy is damaged, as the journal is, and stays as \(target)-partial.")
            }
            outcome.show("\(TerminalText.line(target)) is sound: \(report.summary)") { line in
                line = report.jsonLine
                line.set("file", target)
            }
        }
    }

    private func backUpDatabase() throws {
        guard JournalOpener.scheme(of: target) == nil else {
            throw FleetExit(.usage, "A backup is a file; to another database, use `mobius journal copy`.")
        }
        guard try JournalPlace.shards(file).count == 1 else {
            throw FleetExit(
                .usage,
                "\(JournalPlace.shown(file)) has several shards, which do not fit into one file: use pg_dump "
                    + "--schema=SCHEMA, or a backup of the whole server.")
        }
        #if PostgreSQL
            let report = try JournalCopyCommand.copy(PostgreSQLInspector(url: file, pinsSnapshot: true), to: target)
            outcome.show("\(TerminalText.line(target)) is sound: \(report.summary)") { line in
                line = report.jsonLine
                line.set("file", target)
            }
        #endif
    }
}

extension JournalReport {
    /// The number of records, snapshots and loops that were read.
    var summary: String {
        func count(_ number: Int, _ name: String) -> String { "\(number) \(name)\(number == 1 ? "" : "s")" }
        return "\(count(records, "record")), \(count(snapshots, "snapshot")), \(count(loops, "loop"))"
    }

    var jsonLine: JSONLine {
        var line = JSONLine()
        line.set("isSound", isSound)
        line.set("records", records)
        line.set("snapshots", snapshots)
        line.set("loops", loops)
        line.set(
            "findings",
            findings.map { finding in
                var line = JSONLine()
                line.set("kind", "\(finding.kind)")
                line.set("loop", finding.loop?.name)
                line.set("sequence", finding.sequence)
                line.set("message", finding.message)
                return line
            })
        return line
    }
}
