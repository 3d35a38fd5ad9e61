import ArgumentParser
import Foundation
import MobiusJournal
import MobiusJournalSQLite
import MobiusProcess
import MobiusWire

/// The command `mobius journal restore BACKUP TARGET`.
struct JournalRestore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Makes a journal from a backup, with which a coordinator can continue.",
        discussion: """
            Stop the coordinator and move the lost journal away, with its -wal; keep both, because they may hold more. \
            The target is verified and gets its name when it is complete and on disk; the backup is not changed.

            The loops continue from their state at the backup. Events that were acknowledged since then are lost, and \
            effects that were pending then run again, even those that run at most once. The restored journal has an \
            identity of its own, so workers that still run drop what they hold and join again. Its events continue \
            with higher numbers, so no new effect has the idempotency key of an effect that the lost journal requested \
            after the backup.

            Exit codes: 0; 73 when the target or its -wal exists, or cannot be written; \(JournalCommand.exitCodes)
            """)

    @Argument(help: "The backup, as `mobius journal backup` made it.", completion: .file())
    var backup: String

    @Argument(help: "The journal's file to make; it must not exist.", completion: .file())
    var target: String

    @OptionGroup var outcome: OutcomeOptions

    func run() async throws {
        try await JournalCommand.withFile(backup) { journal in
            let progress = ProgressLine("Restoring")
            let now = WallTime(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
            let report = try journal.restore(to: target, at: now) { progress.show($0, of: $1) }
            progress.end()
            guard report.isSound else {
                for finding in report.findings { print(TerminalText.line("\(finding)")) }
                throw FleetExit(.dataError, "The backup is damaged, and the copy stays as \(target)-partial.")
            }
            outcome.show("\(TerminalText.line(target)) is sound: \(report.summary)") { line in
                line = report.jsonLine
                line.set("file", target)
            }
        }
    }
}
