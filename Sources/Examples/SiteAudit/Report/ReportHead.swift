/// A report's data on the whole audit: everything except its rows and its duration.
public struct ReportHead: Codable, Sendable, Equatable {
    /// The URL that was asked for.
    public var start: String
    /// The absolute path of the folder to write to.
    public var directory: String
    /// When the audit was first asked for, in seconds since 1970.
    public var started: Double
    /// Pages crawled.
    public var pages: Int
    /// Links checked.
    public var links: Int
    /// Different addresses asked for.
    public var addresses: Int
    /// Addresses that were not asked for because `robots.txt` forbids it.
    public var disallowed: Int
    /// Links to other origins that were not checked, because the request excluded them.
    public var unchecked: Int
    /// Pages that a limit left out; `nil` for none.
    public var cutShort: CutShort?

    /// Describes an audit.
    public init(
        start: String, directory: String, started: Double, pages: Int, links: Int, addresses: Int = 0,
        disallowed: Int = 0, unchecked: Int = 0, cutShort: CutShort? = nil
    ) {
        self.cutShort = cutShort
        self.start = start
        self.directory = directory
        self.started = started
        self.pages = pages
        self.links = links
        self.addresses = addresses
        self.disallowed = disallowed
        self.unchecked = unchecked
    }
}

/// The number of rows of each kind in a report, without duplicates.
public struct ReportCounts: Sendable, Equatable {
    /// Broken links.
    public var broken = 0
    /// Links that redirect.
    public var redirects = 0

    /// Describes a report without rows.
    public init() {}

    /// Counts one more row.
    public mutating func add(_ row: ReportRow) {
        switch row.kind {
        case .broken: broken += 1
        case .redirect: redirects += 1
        }
    }
}
