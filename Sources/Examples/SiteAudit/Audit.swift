public import MobiusCore

/// Site Audit's loop: crawls the pages under a start URL and checks every link on them.
///
/// It guarantees the same report for the same site, independent of the order of answers and of how often effects run.
/// - A URL is requested once, with two exceptions. One that was only checked (an image, a script, a stylesheet) is fetched
///   again when a document link leads to it and it may be HTML. A link that seems broken after redirects that set cookies,
///   or because of the content type that HEAD gave, is visited once more, as a browser does.
/// - Cookies that the start's origin sets on the way to the first page go with all later requests to it.
/// - A URL of the start's origin is fetched as a page when a document link leads to it, so that its anchors are known,
///   even if it is not crawled. Otherwise, and on other origins, it is checked. Fragments on other origins, and behind
///   redirects over them, are not checked.
/// - A page that could not be read is in the report with the reason; its anchors are unknown.
/// - Redirects are followed hop by hop, ten at most; a redirect counts no level of depth.
/// - With `maxPages` or `depth` pages are crawled level by level, each level's in alphabetical order when not all
///   of them may be; without, in any order.
/// - `robots.txt` of the start's origin applies to all requests to that origin. If it is absent, everything is allowed;
///   if its server fails, nothing is (RFC 9309, 2.3.1.4).
/// - The cost of an event depends on its change only, except for the last one of a level.
/// - The report is sent in parts of bounded size, a few at a time, each of which may be sent and written any number of
///   times.
public enum Audit: InPlaceLoopProgram {
    /// Everything that can happen.
    public enum Event: Codable, Sendable, Equatable {
        /// A request for an audit: begins one, or continues the same unfinished one.
        case auditRequested(AuditRequest)
        /// A server answered.
        case fetched(FetchRequest, FetchAnswer)
        /// A part of a page that is too large for one event; `fetched` follows.
        case fetchedPart(FetchRequest, PagePart)
        /// A request failed.
        case fetchFailed(FetchRequest, FetchFailure)
        /// The pause that a `wait` asked for is over.
        case waited(Wait)
        /// The report is in place.
        case reportWritten(ReportFiles)
        /// The report with this id could not be written, and why.
        case reportFailed(String, report: String)
        /// The writer keeps this part of the report with this id.
        case partWritten(report: String, number: Int)
        /// The writer that assembles this report does not have these parts.
        case partsMissing(report: String, numbers: [Int])
        /// The caller of the request with this id has received its outcome.
        case outcomeSeen(String)
    }

    /// Everything that is asked for.
    public enum Effect: Codable, Sendable, Equatable {
        /// Make a request: for the pool `page-fetcher`.
        case fetch(FetchRequest)
        /// Send `waited` with the same value after its milliseconds.
        case wait(Wait)
        /// Show the progress.
        case showProgress(AuditProgress)
        /// Keep a part of the report: for the pool `report-writer`.
        case writePart(ReportPart)
        /// Assemble both files from the parts and move them into place: for the pool `report-writer`.
        case assembleReport(ReportAssembly)
        /// Report the outcome to the caller.
        case finish(Finish)
    }

    /// An audit without a request.
    public static func initiate() -> First<Model, Effect> { First(model: Model()) }

    /// Applies an event.
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
