import ArgumentParser
import Foundation
import MobiusCoordinator
import MobiusCore
import SiteAudit

/// The coordinator of an audit: holds what is known of the site, hands out requests, and ends with the outcome.
@main
struct SiteAuditCoordinator: CoordinatorCommand {
    typealias Program = Audit

    static let name = "site-audit"
    static let abstract = "Finds the broken links of a web site. Needs page-fetcher workers and a report-writer."

    @OptionGroup(title: "Audit") var options: AuditOptions

    /// What local routes and ``run(_:)`` share.
    private static let desk = FrontDesk()

    var routes: Routes {
        Audit.routes(
            timeout: .seconds(options.timeout), clock: ContinuousClock(), show: { Self.desk.show($0) },
            finish: { Self.desk.close($0) })
    }

    func run(_ loop: LoopHandle<Audit>) async throws {
        let request = options.request(id: UUID().uuidString, time: Date().timeIntervalSince1970)
        Self.desk.open(request.id, display: options.quiet ? nil : ProgressDisplay.forStandardError())
        try await loop.send(.auditRequested(request), key: request.id)
        guard let outcome = await Self.desk.outcome(of: request.id) else {
            throw FleetExit(.signal(2), "The audit was interrupted. Run the same command again to go on where it was.")
        }
        let exit = OutcomeText(request.start, outcome)
        if let summary = exit.summary { print(summary) }
        // Only now: had we been killed before, the next run would tell it.
        try await loop.send(.outcomeSeen(request.id))
        if let failure = exit.failure { throw failure }
    }
}
