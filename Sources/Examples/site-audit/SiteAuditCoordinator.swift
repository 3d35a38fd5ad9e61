import ArgumentParser
import Foundation
import MobiusCoordinator
import MobiusCore
import MobiusJournalPostgreSQL
import MobiusProcess
import SiteAudit
import Synchronization

/// The coordinator of an audit: holds what is known of the site, hands out requests, and ends with the outcome.
@main
struct SiteAuditCoordinator: CoordinatorCommand {
    typealias Program = Audit

    static let name = "site-audit"
    static let abstract = """
        Finds the broken links of a web site, of any size. Needs page-fetcher workers and a report-writer. The same command \
        again goes on with an audit that was cut short, or prints the result of one that was killed after its end; after an \
        orderly end it audits anew. What may pass (refused, reset, 429, 502–504) is tried four times before a link is called \
        broken. A user and password in --start are sent to its origin and masked in reports, logs, messages and what \
        mobius shows of the journal; the file itself, which is for its owner alone, holds them. Exit codes: 0 no broken link, 1 broken links, 69 the start URL gives no page, 73 the report cannot be written, 75 the page-fetcher workers failed.
        """

    /// The line of the progress.
    static let hasTerminalView = true

    @OptionGroup(title: "Audit") var options: AuditOptions

    /// The session that local routes and ``run(_:)`` share.
    private static let desk = AuditSession()

    var routes: Routes {
        Audit.routes(
            timeout: .seconds(options.timeout), clock: ContinuousClock(), show: { Self.desk.show($0) },
            finish: { Self.desk.close($0) })
    }

    /// The values that only the settings know: where this process and the next one meet, and how large an effect may
    /// be.
    private static let settings = Mutex<(mark: SeenMark?, payloadLimit: Int?)>((nil, nil))

    func configure(_ settings: inout CoordinatorSettings) {
        let known = (mark: SeenMark(settings.journal), payloadLimit: Int(settings.maximumPayload))
        Self.settings.withLock { $0 = known }
        settings.journalOpeners = [.postgreSQL]
    }

    func run(_ loop: LoopHandle<Audit>) async throws {
        let (mark, payloadLimit) = Self.settings.withLock { $0 }
        let request = options.request(
            id: UUID().uuidString, time: Date().timeIntervalSince1970, payloadLimit: payloadLimit)
        Self.desk.open(request.id, display: options.quiet ? nil : ProgressDisplay.forStandardError())
        if let seen = mark?.request {
            try await loop.send(.outcomeSeen(seen))
            mark?.remove()
        }
        try await loop.send(.auditRequested(request), key: request.id)
        guard let (outcome, isNew) = await Self.desk.outcome() else {
            throw FleetExit(.signal(2), "The audit was interrupted. Run the same command again to go on where it was.")
        }
        let exit = OutcomeText(
            WebURL.withoutSecrets(request.start), outcome, links: ProgressDisplay.isTerminal(STDOUT_FILENO),
            width: Table.screenWidth)
        // In one piece: who reads a pipe may end this process after the first lines.
        if let summary = exit.summary { print(summary, terminator: "") }
        // A pipe would get it only at the end.
        fflush(nil)
        if options.open, case .finished(_, let files) = outcome { Browser.open(files.html) }
        if isNew, let mark {
            // Should we be killed before our end, the next run tells it.
            mark.leaveAtExit(request.id)
        } else {
            // That was the next run: where marks cannot be kept it must not be told for ever.
            try await loop.send(.outcomeSeen(request.id))
        }
        if let failure = exit.failure { throw failure }
    }
}
