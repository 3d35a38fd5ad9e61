import ArgumentParser
import Foundation
import MobiusCommand
import MobiusJournal
import MobiusJournalSQLite
import MobiusWire

/// The command `mobius journal verify FILE`.
struct JournalVerify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Reads all of a journal and checks that it is what was written.",
        discussion: """
            It checks the file, the order of events, the sources, the effects and the hashes of snapshots. Whether the program \
            comes to the same models again, only the program can tell: start its coordinator with --verify.

            Exit codes: 0 when it is sound; 74 with each finding in a line when it is not; \(JournalCommand.exitCodes)
            """)

    @Argument(help: "The journal's file.", completion: .file())
    var file: String

    @Flag(help: "One JSON object instead of lines.")
    var json = false

    func run() async throws {
        try await JournalCommand.withJournal(file) { journal in
            let progress = ProgressLine("Verifying")
            let report = try journal.verify { progress.show($0, of: $1) }
            progress.end()
            if json {
                print(report.jsonLine.text)
            } else {
                for finding in report.findings { print(TerminalText.line("\(finding)")) }
                if report.isSound { print("\(TerminalText.line(file)) is sound: \(report.summary)") }
            }
            guard report.isSound else {
                throw FleetExit(
                    .dataError,
                    "The journal \(file) is damaged; go back to a backup, or ask for help before you start on it.")
            }
        }
    }
}

/// The command `mobius journal backup FILE TARGET`.
struct JournalBackup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Copies a journal to a new file and verifies the copy.",
        discussion: """
            The journal may be in use: the copy holds what was committed when the command began. It is written as \
            TARGET-partial, and gets its name when it is whole, on disk and sound. A coordinator goes on from it after \
            `mobius journal restore`. A copy that stands in for a journal which is moved, and which nobody wrote since, is \
            used as it is.

            Exit codes: 0; 73 when the target exists or cannot be written; \(JournalCommand.exitCodes)
            """)

    @Argument(help: "The journal's file.", completion: .file())
    var file: String

    @Argument(help: "The file to make; it must not exist.", completion: .file())
    var target: String

    func run() async throws {
        try await JournalCommand.withJournal(file) { journal in
            let progress = ProgressLine("Copying")
            let report = try journal.backup(to: target) { progress.show($0, of: $1) }
            progress.end()
            guard report.isSound else {
                for finding in report.findings { print(TerminalText.line("\(finding)")) }
                throw FleetExit(.dataError, "The copy is damaged, as the journal is, and stays as \(target)-partial.")
            }
            print("\(TerminalText.line(target)) is sound: \(report.summary)")
        }
    }
}

extension JournalReport {
    /// How much was read.
    var summary: String {
        func count(_ number: Int, _ name: String) -> String { "\(number) \(name)\(number == 1 ? "" : "s")" }
        return "\(count(records, "record")), \(count(snapshots, "snapshot")), \(count(loops, "loop"))"
    }

    fileprivate var jsonLine: JSONLine {
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
