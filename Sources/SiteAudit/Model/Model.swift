extension Audit {
    /// All that an audit knows.
    ///
    /// It is opaque to others. As JSON it is a few scalars and a few packed strings: 5,000 pages with 200 anchors each
    /// take about 12 MB.
    public struct Model: Codable, Sendable, Equatable {
        enum Phase: String, Codable, Sendable {
            /// Nothing was asked for, or all is done.
            case idle
            /// `robots.txt` of the start's origin is being asked for.
            case readingRobots
            /// The start page is, through its redirects.
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
            /// Addresses waiting for their turn.
            var queued = 0
            /// Requests under way.
            var inFlight = 0
            /// At how many checked addresses progress is shown again.
            var nextProgress = 1
        }

        var phase = Phase.idle
        /// The newest request, with the time of the one that began the audit.
        var request: AuditRequest?
        /// How the last audit ended, until the one who asked has seen it.
        var outcome: Outcome?
        /// What is known of the report while it is being written.
        var summary: Summary?
        /// Where the report is, while it is being written.
        var writing: ReportCursor?
        /// Grows with each pause, over all audits.
        var tokens = 0

        /// Where the audit has got to on its way to the first page.
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
        /// Absent in models of before it existed, as are the following.
        private var storedRetries: Retries?
        private var storedPartials: PartialPages?

        /// What is asked for again, or will be.
        var retries: Retries {
            get { storedRetries ?? Retries() }
            _modify {
                // Taken out, so that what is changed has no second owner that makes the change a copy.
                var retries = storedRetries ?? Retries()
                storedRetries = nil
                defer { storedRetries = retries.isEmpty ? nil : retries }
                yield &retries
            }
        }
        /// Pages of which some parts have come.
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
            /// The URL to begin with, after the redirects so far.
            var url = ""
            /// Redirects so far.
            var hops = 0
            /// The `robots.txt` being asked for.
            var robotsURL = ""
            /// Redirects of `robots.txt` so far.
            var robotsHops = 0
            /// `user:password` for the origin of the start.
            var credentials: String?
            /// That origin, with a slash.
            var credentialOrigin: String?
        }

        init() {}
    }
}

extension Audit.Model {
    /// Whether pages are crawled level by level.
    var isLimited: Bool { request?.maxPages != nil || request?.depth != nil }
}
