public import MobiusCore

/// Site Audit's loop: crawls the pages under a start URL and checks every link on them.
///
/// What it promises, whatever the order of answers and however often effects run: the same report for the same site.
/// - A URL is asked for once. The one exception: a URL that stands in an `img`, a script or a stylesheet, was therefore
///   only checked, turned out to be HTML, and is linked as a document too. It is then fetched as a page as well.
/// - A URL of the start's origin is fetched as a page when a document link leads to it, so that its anchors are known,
///   also where it is not crawled. Otherwise, and on other origins, it is checked. Fragments on other origins are not.
/// - Redirects are followed hop by hop, ten at most; a redirect counts no level of depth.
/// - With `maxPages` or `depth` pages are crawled level by level, each level's in alphabetical order when not all
///   of them may be; without, in any order.
/// - `robots.txt` of the start's origin is obeyed for everything asked of that origin. It being absent allows all, its
///   server failing allows nothing (RFC 9309, 2.3.1.4).
/// - No event costs more than its own change, except the last one of a level.
/// - The report leaves in parts of bounded size, a few at a time, each of which may be sent and written any number of times.
public enum Audit: InPlaceLoopProgram {
    /// What can happen.
    public enum Event: Codable, Sendable, Equatable {
        /// Somebody wants an audit: begins one, or goes on with the same one left unfinished.
        case auditRequested(AuditRequest)
        /// A server answered.
        case fetched(FetchRequest, FetchAnswer)
        /// A part of a page that is too large for one event; `fetched` follows.
        case fetchedPart(FetchRequest, PagePart)
        /// There was no answer.
        case fetchFailed(FetchRequest, FetchFailure)
        /// The pause that a `wait` asked for is over.
        case waited(Wait)
        /// The report is in place.
        case reportWritten(ReportFiles)
        /// The report with this id could not be written, and why; without id the one under way.
        case reportFailed(String, report: String? = nil)
        /// The writer keeps this part of the report with this id.
        case partWritten(report: String, number: Int)
        /// The writer that was to put this report together has not got these parts.
        case partsMissing(report: String, numbers: [Int])
        /// Whoever made the request with this id knows its outcome.
        case outcomeSeen(String)
    }

    /// What is asked for.
    public enum Effect: Codable, Sendable, Equatable {
        /// Ask a server: for the pool `page-fetcher`.
        case fetch(FetchRequest)
        /// Send `waited` with the same value after its milliseconds.
        case wait(Wait)
        /// Tell whoever is watching.
        case showProgress(AuditProgress)
        /// Keep a part of the report: for the pool `report-writer`.
        case writePart(ReportPart)
        /// Make both files of the parts and put them in place: for the pool `report-writer`.
        case assembleReport(ReportAssembly)
        /// Tell whoever asked.
        case finish(Finish)
    }

    /// An audit that nobody has asked for yet.
    public static func initiate() -> First<Model, Effect> { First(model: Model()) }

    /// What an event does.
    public static func update(_ model: inout Model, _ event: Event) -> Change<Effect> {
        var effects: [Effect] = []
        let changed =
            switch event {
            case .auditRequested(let request): model.accept(request, &effects)
            case .fetched(let request, let answer): model.receive(.answered(answer), to: request, &effects)
            case .fetchedPart(let request, let part): model.keep(part, of: request)
            case .fetchFailed(let request, let failure): model.receive(.failed(failure), to: request, &effects)
            case .waited(let wait): model.resume(wait, &effects)
            case .reportWritten(let files): model.conclude(files, &effects)
            case .reportFailed(let reason, let report): model.fail(reason, of: report, &effects)
            case .partWritten(let report, let number): model.partWritten(number, of: report, &effects)
            case .partsMissing(let report, let numbers): model.sendAgain(numbers, of: report, &effects)
            case .outcomeSeen(let id): model.forgetOutcome(of: id)
            }
        if changed { return .next(effects: effects) }
        return effects.isEmpty ? .noChange : .dispatchEffects(effects)
    }
}
