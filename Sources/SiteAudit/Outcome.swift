/// How a request ended, and which.
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
/// Sentences say what happened and what to do.
public enum Outcome: Codable, Sendable, Equatable {
    /// The report is written.
    case finished(Summary)
    /// The start URL gave no page to crawl.
    case unreachable(String)
    /// The workers that were to fetch the start URL did not do their work; nothing is known of the URL.
    case workersFailed(String)
    /// Another audit is under way.
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

    /// Describes what was found.
    public init(pages: Int, links: Int, broken: Int, redirects: Int, files: ReportFiles) {
        self.pages = pages
        self.links = links
        self.broken = broken
        self.redirects = redirects
        self.files = files
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
    /// Its broken links, without doubles; `nil` from writers that were sent whole reports.
    public var broken: Int?
    /// Its links that redirect, without doubles; `nil` from writers that were sent whole reports.
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
