import Foundation
import MobiusCore
import MobiusWorker
import SiteAudit

/// The worker that writes an audit's report: `report.json` and `report.html`.
@main
struct ReportWriter: WorkerCommand {
    typealias Effect = Audit.Effect
    typealias Event = Audit.Event

    static let pool = "report-writer"
    static let abstract = """
        Writes the reports of site-audit: report.json and report.html. A report comes in parts, which are kept in a folder \
        .site-audit-parts-… beside it and put together at the end; what killed audits left there is removed with the next \
        report in that place.
        """

    var handler: EffectRouter<Audit.Effect, Audit.Event> {
        EffectRouter()
            .routeCase(Audit.Effect.writePart).toEvent { part in
                Self.event(part.report, in: part.directory) { folder throws(ReportFailure) in
                    try folder.keep(part.rows, number: part.number)
                    return .partWritten(report: part.report, number: part.number)
                }
            }
            .routeCase(Audit.Effect.assembleReport).toEvent { assembly in
                Self.event(assembly.report, in: assembly.head.directory) { folder throws(ReportFailure) in
                    try Self.write(assembly, folder)
                }
            }
    }

    private static func write(_ assembly: ReportAssembly, _ folder: PartFolder) throws(ReportFailure) -> Event {
        let seconds = max(0, Date().timeIntervalSince1970 - assembly.head.started)
        switch try ReportAssembler(folder: folder, assembly: assembly).write(seconds: seconds) {
        case .missing(let numbers): return .partsMissing(report: assembly.report, numbers: numbers)
        case .written(let files):
            folder.removeAll()
            return .reportWritten(files)
        }
    }

    /// Returns the event of `body`, or why the report cannot be written; then its parts go, to make room.
    private static func event(
        _ report: String, in directory: String, isLast: Bool = false,
        _ body: (PartFolder) throws(ReportFailure) -> Event
    ) -> Event {
        var folder: PartFolder?
        do throws(ReportFailure) {
            let opened = try PartFolder(report, in: directory)
            folder = opened
            return try body(opened)
        } catch {
            // Another writer put a report in place, and removed all parts: they are missing now.
            if isLast == false, folder?.isGone == true { return event(report, in: directory, isLast: true, body) }
            folder?.remove()
            return .reportFailed(error.reason, report: report)
        }
    }
}
