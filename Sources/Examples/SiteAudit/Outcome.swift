/// The progress of an audit.
public struct AuditProgress: Codable, Sendable, Equatable {
    /// Its request.
    public var request: String
    /// Pages crawled so far.
    public var pages: Int
    /// Links found on them that are or were checked.
    public var links: Int
    /// Links known to be broken.
    public var broken: Int
    /// Addresses that were requested and have answered or failed.
    public var checked: Int
    /// Known addresses to request, including checked ones.
    public var known: Int
    /// Broken links that no earlier progress of the audit contains: the first ``mostShown`` come one by one.
    public var found: [ReportRow]

    /// The maximum number of broken links in all progress of an audit.
    public static let mostShown = 20
    /// The maximum number of broken links in one, so that it is smaller than any payload may be.
    static let mostFound = 4

    /// Describes the progress.
    public init(
        request: String, pages: Int, links: Int, broken: Int, checked: Int, known: Int, found: [ReportRow] = []
    ) {
        self.request = request
        self.pages = pages
        self.links = links
        self.broken = broken
        self.checked = checked
        self.known = known
        self.found = found
    }
}

/// The outcome of a request.
public struct Finish: Codable, Sendable, Equatable {
    /// The id of the newest request for the audit.
    public var request: String
    /// The outcome of the audit.
    public var outcome: Outcome

    /// Describes an end.
    public init(request: String, outcome: Outcome) {
        self.request = request
        self.outcome = outcome
    }
}

/// The outcome of an audit.
///
/// Its messages contain the reason and what to do.
public enum Outcome: Codable, Sendable, Equatable {
    /// The report is written.
    case finished(Summary, ReportFiles)
    /// The start URL is not a page to crawl.
    case unreachable(String)
    /// The workers did not fetch the start URL; nothing is known about the URL.
    case workersFailed(String)
    /// Another audit is running.
    case refused(String)
    /// The audit is done, but its report could not be written. The same request again tries only that again.
    case reportFailed(String)
}

/// The findings of a finished audit.
public struct Summary: Codable, Sendable, Equatable {
    /// Pages crawled.
    public var pages = 0
    /// Links checked.
    public var links = 0
    /// Broken links, each once per place.
    public var broken = 0
    /// Links that redirect, each once per place.
    public var redirects = 0
    /// Different addresses asked for.
    public var addresses = 0
    /// Addresses that were not asked for because `robots.txt` forbids it.
    public var disallowed = 0
    /// Links to other origins that were not checked, because the request excluded them.
    public var unchecked = 0
    /// Pages that a limit left out; `nil` when all found pages were crawled.
    public var cutShort: CutShort?
    /// The most frequent reasons for broken links, at most ``mostReasons``, the most frequent first.
    public var reasons: [ReasonCount] = []
    /// The reasons why pages were not read, the most frequent first.
    public var unread: [ReasonCount] = []

    /// The maximum number of counted reasons.
    static let mostReasons = 10

    /// Describes an audit that found nothing.
    public init() {}
}

/// A reason, and how often it was found.
public struct ReasonCount: Codable, Sendable, Equatable {
    /// A few words, for people.
    public var reason: String
    /// The number of times that it was found.
    public var count: Int
    /// The first place where it was found.
    public var example: ReportRow

    /// Describes a reason.
    public init(reason: String, count: Int, example: ReportRow) {
        self.reason = reason
        self.count = count
        self.example = example
    }
}

/// Pages that a limit left out.
public struct CutShort: Codable, Sendable, Equatable {
    /// A limit on what is crawled.
    public enum Limit: String, Codable, Sendable {
        /// On the number of pages: `--max-pages`.
        case maxPages = "--max-pages"
        /// On the links between the start and a page: `--depth`.
        case depth = "--depth"
    }

    /// Pages that were found, and checked as links, and not crawled.
    public var pages: Int
    /// The limit that left them out; the last one when both did.
    public var limit: Limit
    /// The value of the limit.
    public var value: Int

    /// Describes what was left out.
    public init(pages: Int, limit: Limit, value: Int) {
        self.pages = pages
        self.limit = limit
        self.value = value
    }
}

/// A written report.
public struct ReportFiles: Codable, Sendable, Equatable {
    /// The path of `report.json`.
    public var json: String
    /// The path of `report.html`.
    public var html: String
    /// From the first request for the audit to the written report.
    public var seconds: Double

    /// Describes a written report.
    public init(json: String, html: String, seconds: Double) {
        self.json = json
        self.html = html
        self.seconds = seconds
    }
}
