/// A request for an audit, with its options.
public struct AuditRequest: Codable, Sendable, Equatable {
    /// Identifies this request; the outcome contains it.
    public var id: String
    /// The time at which it was made, in seconds since 1970.
    public var time: Double
    /// The absolute, normalised URL of the first page.
    ///
    /// Pages under its directory are crawled.
    public var start: String
    /// The absolute path of the report's folder.
    public var reportDirectory: String
    /// The maximum number of crawled pages; `nil`: all.
    public var maxPages: Int?
    /// The maximum depth of crawled pages, in links from the start; 0 is the start only, `nil`: any depth.
    public var depth: Int?
    /// Whether links to other origins are checked.
    public var checksExternal: Bool
    /// The maximum number of pending requests.
    ///
    /// Default: 32.
    public var concurrency: Int
    /// The maximum number of pending requests to one origin.
    ///
    /// Default: 8.
    public var perHost: Int
    /// From the start of one request to the start of the next to the same origin, in milliseconds.
    ///
    /// Default: 0.
    public var delay: Int
    /// The time that one request may take, in milliseconds; `nil` leaves it to the workers.
    public var timeLimit: Int?
    /// The maximum size of an effect in bytes; `nil`: the default.
    public var payloadLimit: Int?

    /// The default limit on pages, for sites with endless pages.
    public static let usualMaxPages = 200_000
    /// The default limit on the depth.
    public static let usualDepth = 1_000

    /// Describes a request.
    public init(
        id: String, time: Double, start: String, reportDirectory: String, maxPages: Int? = nil, depth: Int? = nil,
        checksExternal: Bool = false, concurrency: Int = 32, perHost: Int = 8, delay: Int = 0, timeLimit: Int? = nil,
        payloadLimit: Int? = nil
    ) {
        self.id = id
        self.time = time
        self.start = start
        self.reportDirectory = reportDirectory
        self.maxPages = maxPages
        self.depth = depth
        self.checksExternal = checksExternal
        self.concurrency = concurrency
        self.perHost = perHost
        self.delay = delay
        self.timeLimit = timeLimit
        self.payloadLimit = payloadLimit
    }

    /// Whether `other` requests the same audit, independent of caller, time and fleet.
    public func isSameAudit(as other: AuditRequest) -> Bool {
        var twin = other
        (twin.id, twin.time, twin.payloadLimit) = (id, time, payloadLimit)
        return twin == self
    }
}
