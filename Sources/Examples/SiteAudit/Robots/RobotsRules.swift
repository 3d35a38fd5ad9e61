/// What a `robots.txt` allows the audit to fetch (RFC 9309).
public struct RobotsRules: Codable, Sendable, Equatable {
    /// The audit's product token; without a group for it, the group of `*` applies.
    public static let agent = "site-audit"

    /// One `Allow` or `Disallow` line.
    struct Rule: Codable, Sendable, Equatable {
        var pattern: String
        var allows: Bool
    }

    var rules: [Rule]
    /// How long to wait between the starts of two requests, in milliseconds, when the file says so.
    public private(set) var crawlDelay: Int?

    /// Everything is allowed: the rules without a `robots.txt`.
    public static let allowAll = RobotsRules(rules: [], crawlDelay: nil)

    init(rules: [Rule], crawlDelay: Int?) {
        self.rules = rules
        self.crawlDelay = crawlDelay
    }

    /// Parses a `robots.txt`; invalid lines are skipped.
    public init(_ text: String) {
        var parser = RobotsParser()
        for line in text.split(whereSeparator: \.isNewline) { parser.read(line) }
        self.init(rules: parser.rules, crawlDelay: parser.crawlDelay)
    }

    /// Whether the agent may fetch `url`: the longest matching pattern decides, `Allow` among equals.
    public func allows(_ url: WebURL) -> Bool {
        if url.path == "/robots.txt" { return true }
        let target = Array(url.pathAndQuery.utf8)
        var longest = -1
        var allowed = true
        for rule in rules where rule.pattern.utf8.count >= longest {
            if rule.pattern.utf8.count == longest, rule.allows == false { continue }
            guard RobotsPattern.matches(Array(rule.pattern.utf8), target) else { continue }
            longest = rule.pattern.utf8.count
            allowed = rule.allows
        }
        return allowed
    }
}
