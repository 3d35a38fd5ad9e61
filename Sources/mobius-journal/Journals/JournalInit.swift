import ArgumentParser
import MobiusJournal
import MobiusJournalPostgreSQL
import MobiusProcess

/// The command `mobius journal init URL`.
struct JournalInit: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init", abstract: "Makes the tables of a journal in PostgreSQL.",
        discussion: """
            It makes the URL's schema (default: mobius) with an empty journal, in one transaction; where there is a journal \
            of this version already, it changes nothing. A coordinator then needs no right but to read and write \
            these tables. A journal in a file needs no such command.

            Exit codes: 0; 73 when the database's user may not make them; \(JournalCommand.exitCodes)

            Examples:
              mobius journal init 'postgresql://fleet@db.example.org/fleet'
              mobius journal init 'postgresql://fleet@db.example.org/fleet?schema=site_audit'
            """)

    @Argument(help: "The URL of a database of PostgreSQL 12 or newer.")
    var url: String

    @OptionGroup var outcome: OutcomeOptions

    func run() async throws {
        try await JournalCommand.reporting {
            guard let scheme = JournalOpener.scheme(of: url) else {
                throw FleetExit(
                    .usage, "A journal in a file is made by its coordinator: init takes a postgresql:// URL.")
            }
            try JournalPlace.require(scheme)
            #if PostgreSQL
                let done = try PostgreSQLSchema.prepare(url: url)
                let shown = TerminalText.line(JournalPlace.shown(url))
                let sentence =
                    switch done {
                    case .made: "\(shown) has an empty journal"
                    case .found: "\(shown) has a journal already"
                    }
                outcome.show(sentence) { line in
                    line.set("made", done == .made)
                }
            #else
                throw JournalError.withoutPostgreSQL(JournalPlace.shown(url))
            #endif
        }
    }
}
