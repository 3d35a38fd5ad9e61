extension Audit {
    /// The state of an audit.
    ///
    /// It is opaque. As JSON it is a few scalars and a few packed arrays: 5,000 pages with 200 anchors each take about
    /// 13 MB.
    public struct Model: Codable, Sendable, Equatable {
        enum Phase: String, Codable, Sendable {
            /// There is no request, or it is done.
            case idle
            /// `robots.txt` of the start's origin is being requested.
            case readingRobots
            /// The start page is being requested, through its redirects.
            case opening
            case crawling
            case writing
            /// The report could not be written.
            case unwritten
        }

        /// The state of the audit before its first page.
        struct Opening: Codable, Sendable, Equatable {
            /// The start URL, after the redirects so far.
            var url = ""
            /// Redirects so far.
            var hops = 0
            /// The requested `robots.txt`.
            var robotsURL = ""
            /// Redirects of `robots.txt` so far.
            var robotsHops = 0
            /// The addresses that were asked with the current cookies.
            var asked: [Int32] = []
        }

        /// The credentials that are sent with requests so that servers know the audit.
        struct Identity: Codable, Sendable, Equatable {
            /// `user:password` for the origin of the start.
            var credentials: String?
            /// That origin, with a slash.
            var credentialOrigin: String?
            /// The newest cookies of each origin on the way to the first page.
            ///
            /// Later ones are not kept: their order would make the report depend on time.
            var cookies: [String: [String]] = [:]
        }

        struct Counts: Codable, Sendable, Equatable {
            /// Pages crawled.
            var pages = 0
            /// Links on them that are checked.
            var links = 0
            /// Links on them to origins that were not to be checked.
            var external = 0
            /// Addresses that `robots.txt` forbade.
            var disallowed = 0
            /// Addresses that answered or failed.
            var checked = 0
            /// Waiting addresses.
            var queued = 0
            /// Pending requests.
            var inFlight = 0
            /// The number of checked addresses at which progress is shown next.
            var nextProgress = 1
            /// Broken links that were shown one by one.
            var shown = 0
        }

        var phase = Phase.idle
        /// The newest request, with the time of the one that began the audit.
        var request: AuditRequest?
        /// The outcome of the last audit, until the caller has received it.
        var outcome: Outcome?
        /// The state of the report while it is being written.
        var writing: ReportCursor?
        /// Grows with each pause, over all audits.
        var tokens = 0

        var opening = Opening()
        var identity = Identity()
        var robots = RobotsRules.allowAll
        /// The origin that is crawled, with a slash: what its URLs begin with.
        var origin = ""
        /// The beginning of the URLs of pages to be crawled.
        var scope = ""

        var counts = Counts()
        var frontier = Frontier()
        var addresses = AddressTable()
        var hosts = HostTable()
        var retries = Retries()
        /// Pages of which some parts have arrived.
        var partials = PartialPages()
        var waiting = WaitingLinks()
        /// Broken links, as they were found; while the report is written, in its order.
        @Packed var broken: [LinkRecord] = []
        /// Links that redirect, likewise.
        @Packed var redirected: [LinkRecord] = []

        /// The model of an audit that has not begun.
        public init() {}
    }
}

extension Audit.Model {
    /// Whether pages are crawled level by level.
    var isLimited: Bool { request?.maxPages != nil || request?.depth != nil }

    /// Whether a page is to be crawled, as far as its URL decides; equivalent spellings are equal.
    func isInScope(_ number: Int32) -> Bool {
        if addresses.hasPrefix(number, scope) { return true }
        let percent = UInt8(ascii: "%")
        guard addresses.contains(number, percent) || scope.utf8.contains(percent) else { return false }
        return WebURL.normalized(path: addresses.url(number)).hasPrefix(WebURL.normalized(path: scope))
    }
}
