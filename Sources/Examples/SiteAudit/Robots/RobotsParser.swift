/// Parses `robots.txt` line by line and keeps the rules for the audit.
struct RobotsParser {
    private struct Found {
        var isMentioned = false
        var rules: [RobotsRules.Rule] = []
        var crawlDelay: Int?
    }

    private var own = Found()
    private var everybody = Found()
    /// Whether the current group is for our agent, or for all agents.
    private var isOwnGroup = false
    private var isEverybodysGroup = false
    /// A `User-agent` line after a rule begins a new group; several in a row share one.
    private var isInRules = false

    /// The rules of our own groups, otherwise those for all agents.
    var rules: [RobotsRules.Rule] { own.isMentioned ? own.rules : everybody.rules }

    /// The delay of our own groups, otherwise that for all agents, in milliseconds.
    var crawlDelay: Int? { own.isMentioned ? own.crawlDelay : everybody.crawlDelay }

    mutating func read(_ line: Substring) {
        let content = line.prefix { $0 != "#" }
        guard let colon = content.firstIndex(of: ":") else { return }
        let key = Self.trimmed(content[..<colon]).lowercased()
        let value = Self.trimmed(content[content.index(after: colon)...])
        switch key {
        case "user-agent": beginGroup(value)
        case "allow": add(value, allows: true)
        case "disallow": add(value, allows: false)
        case "crawl-delay": delay(value)
        default: break  // sitemaps and other lines belong to no group
        }
    }

    private mutating func beginGroup(_ agent: Substring) {
        if isInRules { (isOwnGroup, isEverybodysGroup, isInRules) = (false, false, false) }
        let token = agent.prefix { $0.isASCII && ($0.isLetter || $0 == "-" || $0 == "_") }.lowercased()
        if token == RobotsRules.agent {
            isOwnGroup = true
            own.isMentioned = true
        } else if agent.first == "*" {
            isEverybodysGroup = true
        }
    }

    private mutating func add(_ written: Substring, allows: Bool) {
        isInRules = true
        guard written.isEmpty == false else { return }
        let pattern = PercentCoding.normalize(Array(written.utf8), allowed: .query)
        let rule = RobotsRules.Rule(pattern: String(decoding: pattern, as: UTF8.self), allows: allows)
        if isOwnGroup { own.rules.append(rule) }
        if isEverybodysGroup { everybody.rules.append(rule) }
    }

    private mutating func delay(_ value: Substring) {
        isInRules = true
        guard let seconds = Double(value), seconds >= 0, seconds < 1e6 else { return }
        let milliseconds = Int((seconds * 1000).rounded(.up))
        if isOwnGroup { own.crawlDelay = milliseconds }
        if isEverybodysGroup { everybody.crawlDelay = milliseconds }
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text
        while let first = text.first, first.isWhitespace || first == "\u{FEFF}" { text.removeFirst() }
        while let last = text.last, last.isWhitespace { text.removeLast() }
        return text
    }
}
