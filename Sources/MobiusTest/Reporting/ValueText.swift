/// A value as lines of text, one for each part, so that two values can be compared line by line.
///
/// It uses the descriptions of types that have one; others are split into the parts of their `Mirror`. A value that
/// fits into a short line is not split.
struct ValueText {
    /// The maximum width of a value on one line.
    private static let width = 60
    /// The maximum depth, which also ends cycles of objects.
    private static let depth = 24

    let lines: [String]

    /// - Parameter ignoresDescriptions: Splits values even if they have descriptions.
    init(_ value: Any, ignoresDescriptions: Bool = false) {
        lines = Self.lines(of: value, raw: ignoresDescriptions, depth: 0)
    }

    /// All lines, indented by two spaces except the first.
    var text: String { lines.joined(separator: "\n  ") }

    /// The same after a name, as a section of a message.
    func named(_ name: String) -> String { "  \(name): " + lines.joined(separator: "\n    ") }

    private static func lines(of value: Any, raw: Bool, depth: Int) -> [String] {
        let mirror = Mirror(reflecting: value)
        if mirror.displayStyle == .optional {
            return mirror.children.first.map { lines(of: $0.value, raw: raw, depth: depth) } ?? ["nil"]
        }
        guard depth < Self.depth, !describesItself(value, mirror, raw: raw) else { return textLines(of: value, mirror) }
        switch mirror.displayStyle {
        case .collection:
            return wrap("[", mirror.children.map { lines(of: $0.value, raw: raw, depth: depth + 1) }, "]")
        case .set:
            let elements = mirror.children.map { lines(of: $0.value, raw: raw, depth: depth + 1) }
            return wrap("Set([", elements.sorted { $0.lexicographicallyPrecedes($1) }, "])")
        case .dictionary:
            let entries = mirror.children.map { pair(of: $0.value, raw: raw, depth: depth + 1) }
            let sorted = entries.sorted { $0.lexicographicallyPrecedes($1) }
            return entries.isEmpty ? ["[:]"] : wrap("[", sorted, "]")
        case .enum:
            return enumLines(of: value, mirror, raw: raw, depth: depth)
        case .tuple:
            return wrap("(", parts(of: mirror, raw: raw, depth: depth + 1), ")")
        default:
            return wrap("\(mirror.subjectType)(", parts(of: mirror, raw: raw, depth: depth + 1), ")")
        }
    }

    private static func describesItself(_ value: Any, _ mirror: Mirror, raw: Bool) -> Bool {
        switch mirror.displayStyle {
        case .collection, .set, .dictionary, .tuple: false
        case .enum: !raw && value is any CustomDebugStringConvertible
        case nil: true
        default:
            (!raw || mirror.children.isEmpty)
                && (value is any CustomStringConvertible || value is any CustomDebugStringConvertible)
        }
    }

    private static func textLines(of value: Any, _ mirror: Mirror) -> [String] {
        // Strings and characters in quotation marks; other values as they print.
        let text =
            value is String || value is Character || value is Substring
            ? String(reflecting: value) : String(describing: value)
        return text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    private static func enumLines(of value: Any, _ mirror: Mirror, raw: Bool, depth: Int) -> [String] {
        guard let child = mirror.children.first else { return [".\(value)"] }
        let payload = Mirror(reflecting: child.value)
        let name = ".\(child.label ?? "?")("
        guard payload.displayStyle == .tuple else {
            return wrap(name, [lines(of: child.value, raw: raw, depth: depth + 1)], ")")
        }
        return wrap(name, parts(of: payload, raw: raw, depth: depth + 1), ")")
    }

    /// The parts of a tuple, struct or object, with their names.
    private static func parts(of mirror: Mirror, raw: Bool, depth: Int) -> [[String]] {
        var parts = (mirror.superclassMirror.map { Self.parts(of: $0, raw: raw, depth: depth) }) ?? []
        for child in mirror.children {
            var lines = lines(of: child.value, raw: raw, depth: depth)
            // Unnamed elements of tuples are called ".0", ".1" …
            if let label = child.label, !label.hasPrefix(".") { lines[0] = "\(label): \(lines[0])" }
            parts.append(lines)
        }
        return parts
    }

    private static func pair(of entry: Any, raw: Bool, depth: Int) -> [String] {
        let parts = Array(Mirror(reflecting: entry).children)
        guard parts.count == 2 else { return lines(of: entry, raw: raw, depth: depth) }
        var value = lines(of: parts[1].value, raw: raw, depth: depth)
        value[0] = lines(of: parts[0].value, raw: raw, depth: depth).joined(separator: " ") + ": " + value[0]
        return value
    }

    /// `Name(a, b)` if that is short, otherwise one or more lines for each part.
    private static func wrap(_ open: String, _ parts: [[String]], _ close: String) -> [String] {
        if parts.allSatisfy({ $0.count == 1 }) {
            let line = open + parts.map { $0[0] }.joined(separator: ", ") + close
            if line.count <= width { return [line] }
        }
        // A comma also after the last part, so that a further part changes one line only.
        let body = parts.flatMap { lines in (lines.dropLast() + [lines[lines.count - 1] + ","]).map { "  " + $0 } }
        return [open] + body + [close]
    }
}
