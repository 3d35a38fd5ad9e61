/// The outcome of a request.
public struct Finish: Codable, Sendable, Equatable {
    /// The id of the newest request for the audit.
    public var request: String
    /// How it ended.
    public var outcome: Outcome

    /// Describes an end.
    public init(request: String, outcome: Outcome) {
        self.request = request
        self.outcome = outcome
    }
}

/// How an audit ended.
///
/// Its messages contain the reason and what to do.
public enum Outcome: Codable, Sendable, Equatable {
    /// The report is written.
    case finished(Summary)
    /// The start URL is not a page to crawl.
    case unreachable(String)
    /// The workers did not fetch the start URL; nothing is known about the URL.
    case workersFailed(String)
    /// Another audit is running.
    case refused(String)
    /// The audit is done, but its report could not be written. The same request again tries only that again.
    case reportFailed(String)
}

/// What a finished audit found.
public struct Summary: Codable, Sendable, Equatable {
    /// Pages crawled.
    public var pages: Int
    /// Links checked.
    public var links: Int
    /// Broken links.
    public var broken: Int
    /// Links that redirect.
    public var redirects: Int
    /// Where the report is.
    public var files: ReportFiles
    /// The pages that a limit excluded; `nil` when all found pages were crawled.
    public var cutShort: CutShort?

    /// Describes what was found.
    public init(
        pages: Int, links: Int, broken: Int, redirects: Int, files: ReportFiles, cutShort: CutShort? = nil
    ) {
        self.cutShort = cutShort
        self.pages = pages
        self.links = links
        self.broken = broken
        self.redirects = redirects
        self.files = files
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
    /// How much it allows.
    public var value: Int

    /// Describes what was left out.
    public init(pages: Int, limit: Limit, value: Int) {
        self.pages = pages
        self.limit = limit
        self.value = value
    }

    /// The message for people.
    public var sentence: String {
        let left = pages == 1 ? "1 page that was found was" : "\(pages) pages that were found were"
        return "stopped by \(limit.rawValue) \(value): \(left) not crawled; a higher \(limit.rawValue) crawls more"
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
    /// Its broken links, without duplicates; `nil` from writers of older versions.
    public var broken: Int?
    /// Its redirecting links, without duplicates; `nil` from writers of older versions.
    public var redirects: Int?

    /// Describes a written report.
    public init(json: String, html: String, seconds: Double, broken: Int? = nil, redirects: Int? = nil) {
        self.json = json
        self.html = html
        self.seconds = seconds
        self.broken = broken
        self.redirects = redirects
    }
}
