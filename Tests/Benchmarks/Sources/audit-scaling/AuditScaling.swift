import MobiusCore
import SiteAudit

/// Crawls a synthetic site with Site Audit's loop alone and prints events per second: `audit-scaling URLS`.
///
/// Only `update` is timed: neither the making of pages nor any process, wire or journal. Small sites are crawled again
/// and again, so that a small and a large one are measured over equally many events.
@main
enum AuditScaling {
    private static let leastEvents = 200_000

    static func main() {
        guard CommandLine.arguments.count == 2, let urls = Int(CommandLine.arguments[1]), urls > 0 else {
            fatalError("usage: audit-scaling URLS")
        }
        var events = 0
        var busy = Duration.zero
        while events < leastEvents {
            let crawl = crawl(SyntheticSite(pages: urls))
            events += crawl.events
            busy += crawl.busy
        }
        print(Double(events) / (busy / .seconds(1)))
    }

    /// One audit from its request to its report.
    private static func crawl(_ site: SyntheticSite) -> (events: Int, busy: Duration) {
        var model = Audit.initiate().model
        var queue: [Audit.Effect] = []
        var next = 0
        var events = 0
        var busy = Duration.zero

        func apply(_ event: Audit.Event) {
            let start = ContinuousClock.now
            let change = Audit.update(&model, event)
            busy += start.duration(to: .now)
            events += 1
            queue += change.effects
        }

        apply(.auditRequested(AuditRequest(id: "1", time: 0, start: SyntheticSite.start, reportDirectory: "/report")))
        while next < queue.count {
            let effect = queue[next]
            next += 1
            switch effect {
            case .fetch(let request): apply(site.answer(to: request))
            case .wait(let wait): apply(.waited(wait))
            case .showProgress: break
            case .writeReport(let report):
                precondition(
                    report.pages == site.pages, "The audit crawled \(report.pages) pages of \(site.pages).")
                return (events, busy)
            case .finish(let finish): preconditionFailure("The audit ended early: \(finish.outcome)")
            }
        }
        preconditionFailure("The audit stopped without a report.")
    }
}
