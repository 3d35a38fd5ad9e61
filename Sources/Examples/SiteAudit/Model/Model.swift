extension Audit {
    /// The state of an audit.
    ///
    /// It is opaque. As JSON it is a few scalars and a few packed strings: 5,000 pages with 200 anchors each take about
    /// 12 MB.
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
        }

        var phase = Phase.idle
        /// The newest request, with the time of the one that began the audit.
        var request: AuditRequest?
        /// The outcome of the last audit, until the caller has received it.
        var outcome: Outcome?
        /// The state of the report while it is being written.
        var summary: Summary?
        /// Where the report is, while it is being written.
        var writing: ReportCursor?
        /// Grows with each pause, over all audits.
        var tokens = 0

        /// The state of the audit before its first page.
        var opening = Opening()
        var robots = RobotsRules.allowAll
        /// The origin that is crawled, with a slash: what its URLs begin with.
        var origin = ""
        /// What the URLs of pages to be crawled begin with.
        var scope = ""

        var counts = Counts()
        var frontier = Frontier()
        var addresses = AddressTable()
        var hosts = HostTable()
        var waiting = WaitingLinks()
        var broken = LinkList()
        var redirected = LinkList()
        /// Absent in older models, like the following.
        private var storedRetries: Retries?
        private var storedPartials: PartialPages?

        /// Requests that are or will be repeated.
        var retries: Retries {
            get { storedRetries ?? Retries() }
            _modify {
                // Taken out, so that the change in place finds it unshared.
                var retries = storedRetries ?? Retries()
                storedRetries = nil
                defer { storedRetries = retries.isEmpty ? nil : retries }
                yield &retries
            }
        }
        /// Pages of which some parts have arrived.
        var partials: PartialPages {
            get { storedPartials ?? PartialPages() }
            _modify {
                var partials = storedPartials ?? PartialPages()
                storedPartials = nil
                defer { storedPartials = partials.isEmpty ? nil : partials }
                yield &partials
            }
        }

        struct Opening: Codable, Sendable, Equatable {
            /// The start URL, after the redirects so far.
            var url = ""
            /// Redirects so far.
            var hops = 0
            /// The requested `robots.txt`.
            var robotsURL = ""
            /// Redirects of `robots.txt` so far.
            var robotsHops = 0
            /// `user:password` for the origin of the start.
            var credentials: String?
            /// That origin, with a slash.
            var credentialOrigin: String?
        }

        /// The model of an audit that has not begun.
        public init() {}
    }
}

extension Audit.Model {
    /// Whether pages are crawled level by level.
    var isLimited: Bool { request?.maxPages != nil || request?.depth != nil }
}
