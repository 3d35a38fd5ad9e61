/// What an audit found: everything that both files of a report are made of, but the time it took.
public struct Report: Sendable, Equatable {
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
    /// Links to other origins that were not checked, because nobody asked for it.
    public var unchecked: Int
    /// By page, line, link and reason, without doubles.
    public var broken: [BrokenLink]
    /// By page, line, link and target, without doubles.
    public var redirects: [RedirectedLink]

    /// Describes a report.
    public init(
        start: String, directory: String, started: Double, pages: Int, links: Int, addresses: Int = 0,
        disallowed: Int = 0,
        unchecked: Int = 0, broken: [BrokenLink] = [], redirects: [RedirectedLink] = []
    ) {
        self.start = start
        self.directory = directory
        self.started = started
        self.pages = pages
        self.links = links
        self.addresses = addresses
        self.disallowed = disallowed
        self.unchecked = unchecked
        self.broken = broken
        self.redirects = redirects
    }
}

/// A link that leads nowhere.
public struct BrokenLink: Sendable, Hashable {
    /// The URL of the page that it stands in.
    public var page: String
    /// The absolute URL that it leads to, with fragment; what is written when that is no valid URL.
    public var link: String
    /// The line in the page's source, from 1.
    public var line: Int
    /// What is wrong, in a few words.
    public var reason: String
    /// The HTTP status; `nil` when there was none.
    public var status: Int?

    /// Describes a broken link.
    public init(page: String, link: String, line: Int, reason: String, status: Int?) {
        self.page = page
        self.link = link
        self.line = line
        self.reason = reason
        self.status = status
    }
}

/// A link that leads to a redirect.
public struct RedirectedLink: Sendable, Hashable {
    /// The URL of the page that it stands in.
    public var page: String
    /// The absolute URL that it leads to, with fragment.
    public var link: String
    /// The line in the page's source, from 1.
    public var line: Int
    /// The URL at the end of all redirects, or where they cannot be followed any further.
    public var target: String
    /// The HTTP status of the first redirect: 301 and 308 say that the link should be changed.
    public var status: Int

    /// Describes a redirected link.
    public init(page: String, link: String, line: Int, target: String, status: Int) {
        self.page = page
        self.link = link
        self.line = line
        self.target = target
        self.status = status
    }
}
