import Foundation
import MobiusCore
import MobiusHTTP
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
        .site-audit-parts-… beside it and put together at the end; what a killed writer left there is removed by the next \
        one that writes to that place.
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

    func configure(_ settings: inout WorkerSettings) {
        settings.telemetryServer = .http
    }

    private static func write(_ assembly: ReportAssembly, _ folder: PartFolder) throws(ReportFailure) -> Event {
        let seconds = max(0, Date().timeIntervalSince1970 - assembly.head.started)
        do throws(ReportFailure) {
            switch try ReportAssembler(folder, assembly).write(seconds: seconds) {
            case .missing(let numbers): return .partsMissing(report: assembly.report, numbers: numbers)
            case .written(let files):
                folder.remove()
                return .reportWritten(files)
            }
        } catch {
            // Another writer was quicker: what it put in place is the same, and it has removed the parts.
            guard folder.isGone else { throw error }
            return .partsMissing(report: assembly.report, numbers: Array(0..<max(0, assembly.parts)))
        }
    }

    /// What `body` answers, or why the report cannot be written; then its parts go, to make room.
    private static func event(
        _ report: String, in directory: String, _ body: (PartFolder) throws(ReportFailure) -> Event
    ) -> Event {
        var folder: PartFolder?
        do throws(ReportFailure) {
            let opened = try PartFolder(report, in: directory)
            folder = opened
            return try body(opened)
        } catch {
            folder?.remove()
            return .reportFailed(error.reason, report: report)
        }
    }
}
