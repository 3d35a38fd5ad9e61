import MobiusCore
import SiteAudit

/// One audit of a synthetic site, event by event, from its request to its report.
struct Crawl {
    private let site: SyntheticSite
    private var model = Audit.initiate().model
    private var queue: [Audit.Effect] = []
    private var next = 0
    private(set) var events = 0
    /// The time that `update` took; neither the making of pages nor anything else counts.
    private(set) var busy = Duration.zero
    private(set) var isFinished = false

    init(_ site: SyntheticSite) {
        self.site = site
        apply(.auditRequested(AuditRequest(id: "1", time: 0, start: SyntheticSite.start, reportDirectory: "/report")))
    }

    /// Applies the event that answers the next effect.
    mutating func step() {
        precondition(next < queue.count, "The audit stopped without a report.")
        let effect = queue[next]
        next += 1
        switch effect {
        case .fetch(let request): apply(site.answer(to: request))
        case .wait(let wait): apply(.waited(wait))
        case .showProgress: break
        case .writePart(let part): apply(.partWritten(report: part.report, number: part.number))
        case .assembleReport(let report):
            precondition(
                report.head.summary.pages == site.pages,
                "The audit crawled \(report.head.summary.pages) pages of \(site.pages).")
            isFinished = true
        case .finish(let finish): preconditionFailure("The audit ended early: \(finish.outcome)")
        }
    }

    private mutating func apply(_ event: Audit.Event) {
        let start = ContinuousClock.now
        let change = Audit.update(&model, event)
        busy += start.duration(to: .now)
        events += 1
        queue += change.effects
    }
}
