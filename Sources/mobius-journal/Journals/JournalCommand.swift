import ArgumentParser
import Foundation
import MobiusJournal
import MobiusJournalSQLite
import MobiusProcess
import MobiusWire

/// The command `mobius journal`.
struct JournalCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "journal",
        abstract: "Reads, verifies and copies a journal, whether a coordinator has it open or not.",
        discussion: """
            A journal is a file, or a postgresql:// URL as of PostgreSQL's own tools, with the journal's schema as \
            ?schema=NAME (default: mobius). Other users of the machine see a command's arguments: leave the password \
            to PGPASSFILE. No command changes a journal that has records, or blocks the coordinator that writes it.

            Examples:
              mobius journal info site-audit.journal
              mobius journal show site-audit.journal --limit 5
              mobius journal verify site-audit.journal
              mobius journal backup site-audit.journal /backup/site-audit-monday.journal
              mobius journal restore /backup/site-audit-monday.journal site-audit.journal
              mobius journal init 'postgresql://fleet@db.example.org/fleet?schema=site_audit'
              mobius journal copy site-audit.journal 'postgresql://fleet@db.example.org/fleet?schema=site_audit'
            """,
        subcommands: [
            JournalInfoCommand.self, JournalShow.self, JournalVerify.self, JournalBackup.self, JournalRestore.self,
            JournalCopyCommand.self, JournalInit.self,
        ])

    /// The part of each command's `--help` about exit codes.
    static let exitCodes = """
        64 wrong usage; 66 the journal does not exist or may not be read, or its database does not answer; 74 it is damaged, or not a journal of this \
        version; 75 a coordinator has just begun to write it: try again.
        """

    /// Opens the shard of a journal that has a loop, and closes it afterwards; a `JournalError` becomes a message and an exit
    /// code.
    static func withJournal(
        _ place: String, of loop: LoopID, pinsSnapshot: Bool = false, _ body: (any InspectedJournal) throws -> Void
    ) async throws {
        try await reporting {
            let shard = try JournalPlace.shards(place).first { $0.slices.contains(loop) }?.shard ?? 0
            try body(try JournalPlace.open(place, shard: shard, pinsSnapshot: pinsSnapshot))
        }
    }

    /// The same for each shard in turn, with its number; `nil` for the only one.
    static func withShards(
        _ place: String, _ body: (_ shard: UInt32?, any InspectedJournal) throws -> Void
    ) async throws {
        try await reporting {
            let shards = try JournalPlace.shards(place)
            for (shard, _) in shards {
                try body(
                    shards.count > 1 ? shard : nil, try JournalPlace.open(place, shard: shard, pinsSnapshot: false))
            }
        }
    }

    /// The same for what only a journal's file has.
    static func withFile(_ file: String, _ body: (JournalInspector) throws -> Void) async throws {
        try await reporting {
            guard JournalOpener.scheme(of: file) == nil else {
                throw FleetExit(
                    .usage,
                    "A backup is a file, as `mobius journal backup` makes it; what pg_dump made is restored with "
                        + "PostgreSQL's tools.")
            }
            let journal = try JournalInspector(path: file)
            defer { journal.close() }
            try body(journal)
        }
    }

    /// Runs a command; a `JournalError` becomes a message and an exit code.
    static func reporting(_ body: () throws -> Void) async throws {
        try await FleetExit.reporting {
            do {
                try body()
            } catch let error as JournalError {
                throw FleetExit(error.exitCode, error.description)
            }
        }
    }
}

extension JournalError {
    /// The exit code of a command that fails with this error.
    fileprivate var exitCode: ExitCode {
        switch code {
        case .notReadable: .noInput
        case .notWritable: .cannotCreate
        case .damaged, .foreign: .dataError
        case .held, .outcomeUnknown: .temporaryFailure
        case .unsupported: .usage
        default: .software
        }
    }
}

/// The command `mobius journal info FILE`.
struct JournalInfoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info", abstract: "Shows what a journal is, and which loops it contains.",
        discussion: "Exit codes: 0; \(JournalCommand.exitCodes)")

    @Argument(help: "The journal's file or URL.", completion: .file())
    var file: String

    @Flag(help: "One JSON object per shard instead of lines.")
    var json = false

    func run() async throws {
        try await JournalCommand.withShards(file) { shard, journal in
            let info = try journal.info()
            if json {
                var line = info.jsonLine
                line.set("shard", shard)
                return print(line.text)
            }
            var lines = Lines()
            lines.add("Shard", shard.map { "\($0)" })
            lines.add("Program", info.application)
            lines.add("Journal", "\(info.identity), format \(info.format)")
            lines.add("Size", "\(info.bytes) bytes")
            lines.add("Open in", info.holder.map { "process \($0)" })
            lines.add("Made by", info.createdBy)
            lines.add("Epochs", "\(info.epochs.count)\(info.epochs.last.map { ", the last by \($0.build)" } ?? "")")
            lines.print()
            guard !info.loops.isEmpty else { return }
            var table = Table(.name("LOOP"), "EVENTS", "RECORDS", "SNAPSHOTS AT", "DEAD")
            for loop in info.loops {
                let events = loop.firstSequence.flatMap { first in loop.lastSequence.map { "\(first)-\($0)" } }
                table.add(
                    loop.loop.name, events ?? "-", "\(loop.records)",
                    loop.snapshots.map { "\($0)" }.joined(separator: ", "), "\(loop.deadLetters)")
            }
            table.print()
        }
    }
}

extension JournalInfo {
    fileprivate var jsonLine: JSONLine {
        var line = JSONLine()
        line.set("program", application)
        line.set("journal", "\(identity)")
        line.set("format", format)
        line.set("bytes", bytes)
        line.set("holder", holder)
        line.set("createdBy", createdBy)
        line.set(
            "epochs",
            epochs.map { epoch in
                var line = JSONLine()
                line.set("epoch", epoch.epoch)
                line.set("build", epoch.build)
                return line
            })
        line.set(
            "loops",
            loops.map { loop in
                var line = JSONLine()
                line.set("loop", loop.loop.name)
                line.set("firstSequence", loop.firstSequence)
                line.set("lastSequence", loop.lastSequence)
                line.set("records", loop.records)
                line.set("deadLetters", loop.deadLetters)
                line.set("isCompacted", loop.isCompacted)
                return line
            })
        return line
    }
}
