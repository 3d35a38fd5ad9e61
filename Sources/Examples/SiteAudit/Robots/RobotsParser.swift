/// Parses `robots.txt` line by line and keeps the rules for the audit (RFC 9309, 2.1 and 2.2).
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
    /// A `User-agent` line after a rule begins a new group; several in a row share one, whatever else is between them.
    private var isInRules = false

    /// The rules of our own groups, otherwise those for all agents.
    var rules: [RobotsRules.Rule] { own.isMentioned ? own.rules : everybody.rules }

    /// The delay of our own groups, otherwise that for all agents, in milliseconds.
    var crawlDelay: Int? { own.isMentioned ? own.crawlDelay : everybody.crawlDelay }

    mutating func read(_ line: ArraySlice<UInt8>) {
        let content = line.prefix { $0 != UInt8(ascii: "#") }
        guard let colon = content.firstIndex(of: UInt8(ascii: ":")) else { return }
        let value = Self.trimmed(content[(colon + 1)...])
        switch String(decoding: Self.trimmed(content[..<colon]), as: UTF8.self).lowercased() {
        case "user-agent": beginGroup(value)
        case "allow": add(value, allows: true)
        case "disallow": add(value, allows: false)
        case "crawl-delay": delay(String(decoding: value, as: UTF8.self))
        default: break  // sitemaps and other lines belong to no group
        }
    }

    private mutating func beginGroup(_ agent: ArraySlice<UInt8>) {
        if isInRules { (isOwnGroup, isEverybodysGroup, isInRules) = (false, false, false) }
        let token = agent.prefix {
            UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 | 0x20 || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")
        }
        if String(decoding: token, as: UTF8.self).lowercased() == RobotsRules.agent {
            isOwnGroup = true
            own.isMentioned = true
        } else if agent.first == UInt8(ascii: "*"), agent.dropFirst().first.map(Self.isSpace) ?? true {
            isEverybodysGroup = true
        }
    }

    private mutating func add(_ written: ArraySlice<UInt8>, allows: Bool) {
        isInRules = true
        guard written.isEmpty == false, isOwnGroup || isEverybodysGroup else { return }
        let rule = RobotsRules.Rule(pattern: RobotsPattern.rule(written), allows: allows)
        if isOwnGroup { own.rules.append(rule) }
        if isEverybodysGroup { everybody.rules.append(rule) }
    }

    private mutating func delay(_ value: String) {
        guard let seconds = Double(value), seconds >= 0, seconds < 1e6 else { return }
        let milliseconds = Int((seconds * 1000).rounded(.up))
        if isOwnGroup { own.crawlDelay = milliseconds }
        if isEverybodysGroup { everybody.crawlDelay = milliseconds }
    }

    private static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let start = text.firstIndex { isSpace($0) == false } ?? text.endIndex
        let end = text.lastIndex { isSpace($0) == false }.map { $0 + 1 } ?? start
        return text[start..<end]
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
}
