/// The rules of a `robots.txt` about what the audit may fetch (RFC 9309).
public struct RobotsRules: Codable, Sendable, Equatable {
    /// The audit's product token; without a group for it, the group of `*` applies.
    public static let agent = "site-audit"

    /// One `Allow` or `Disallow` line.
    struct Rule: Codable, Sendable, Equatable {
        /// As ``RobotsPattern`` compares it.
        var pattern: String
        var allows: Bool
    }

    /// The longest pattern first, `Allow` first among equals: the first that matches decides.
    let rules: [Rule]
    /// The time between the starts of two requests, in milliseconds, if the file sets one.
    public let crawlDelay: Int?

    /// Everything is allowed: the rules without a `robots.txt`.
    public static let allowAll = RobotsRules(rules: [], crawlDelay: nil)

    private init(rules: [Rule], crawlDelay: Int?) {
        self.rules = rules.sorted {
            let (first, second) = ($0.pattern.utf8.count, $1.pattern.utf8.count)
            return first == second ? $0.allows && $1.allows == false : first > second
        }
        self.crawlDelay = crawlDelay
    }

    /// Parses a `robots.txt` of any size; invalid lines are skipped.
    public init(_ text: String) {
        var parser = RobotsParser()
        let bytes = Array(text.utf8)
        let mark = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        for line in bytes[mark...].split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) { parser.read(line) }
        self.init(rules: parser.rules, crawlDelay: parser.crawlDelay)
    }

    /// Whether the agent may fetch `url`; `/robots.txt` itself always.
    public func allows(_ url: WebURL) -> Bool {
        if rules.isEmpty || url.path == "/robots.txt" { return true }
        let path = RobotsPattern.path(url.pathAndQuery)
        return rules.first { RobotsPattern.matches($0.pattern, path) }?.allows ?? true
    }
}
