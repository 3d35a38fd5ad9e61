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
    static let abstract = "Writes the reports of site-audit: report.json and report.html."

    var handler: EffectRouter<Audit.Effect, Audit.Event> {
        EffectRouter().routeCase(Audit.Effect.writeReport).toEvent { report in
            let seconds = max(0, Date().timeIntervalSince1970 - report.started)
            do throws(ReportFolder.Failure) {
                return .reportWritten(try ReportFolder(report.directory).write(report, seconds: seconds))
            } catch {
                return .reportFailed(error.reason)
            }
        }
    }
}
