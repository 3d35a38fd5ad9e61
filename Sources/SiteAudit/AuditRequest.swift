/// What somebody wants audited, and how.
public struct AuditRequest: Codable, Sendable, Equatable {
    /// Tells this request from every other; the outcome carries it back.
    public var id: String
    /// When it was made, in seconds since 1970.
    public var time: Double
    /// The absolute, normalised URL of the first page.
    ///
    /// Pages under its directory are crawled.
    public var start: String
    /// The absolute path of the folder that the report goes to.
    public var reportDirectory: String
    /// How many pages are crawled at most; `nil`: all.
    public var maxPages: Int?
    /// How many links away from the start pages are crawled; 0 is the start alone, `nil`: any number.
    public var depth: Int?
    /// Whether links to other origins are checked.
    public var checksExternal: Bool
    /// How many requests may be under way at once.
    ///
    /// Default: 32.
    public var concurrency: Int
    /// How many requests may be under way at once to one origin.
    ///
    /// Default: 8.
    public var perHost: Int
    /// From the start of one request to the start of the next to the same origin, in milliseconds.
    ///
    /// Default: 0.
    public var delay: Int
    /// How long one request may take, in milliseconds; `nil` leaves it to the workers.
    public var timeLimit: Int?
    /// How many bytes an effect may have; `nil`: as many as everywhere.
    public var payloadLimit: Int?

    /// The limit on pages of people who set none: a site that makes pages without end is stopped.
    public static let usualMaxPages = 200_000
    /// The limit on the depth of people who set none.
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

    /// Whether `other` asks for the very same audit, by whomever, whenever and over whatever fleet.
    ///
    /// No limit is the usual one: it was the default before there was one, and such an audit goes on as it began.
    public func isSameAudit(as other: AuditRequest) -> Bool {
        var twin = other
        (twin.id, twin.time, twin.payloadLimit) = (id, time, payloadLimit)
        if (twin.maxPages ?? Self.usualMaxPages) == (maxPages ?? Self.usualMaxPages) { twin.maxPages = maxPages }
        if (twin.depth ?? Self.usualDepth) == (depth ?? Self.usualDepth) { twin.depth = depth }
        return twin == self
    }
}
