/// The difference of an actual value from the expected one, line by line.
///
/// Common lines begin with two spaces, missing lines with `−`, unexpected ones with `+`. Long equal parts are omitted.
struct Difference: CustomStringConvertible {
    /// The number of equal lines shown around a difference.
    private static let context = 3

    private let lines: [Line]

    private enum Line: Equatable {
        case both(String)
        case expected(String)
        case actual(String)

        var text: String {
            switch self {
            case .both(let line): "  " + line
            case .expected(let line): "− " + line
            case .actual(let line): "+ " + line
            }
        }

        var isBoth: Bool {
            if case .both = self { true } else { false }
        }
    }

    init(expected: Any, actual: Any) {
        let texts = Self.distinctTexts(of: expected, actual)
        lines = Self.compare(texts.expected, texts.actual)
    }

    var description: String {
        let head = "(− expected, + actual)"
        guard lines.contains(where: { !$0.isBoth }) else {
            return head + "\n"
                + lines.map(\.text).joined(separator: "\n")
                + "\nThey look the same, yet == says that they are not."
        }
        return ([head] + Self.abridged(lines)).joined(separator: "\n")
    }

    /// The texts of both; if descriptions hide the difference, without these.
    private static func distinctTexts(of expected: Any, _ actual: Any) -> (expected: [String], actual: [String]) {
        let described = (ValueText(expected).lines, ValueText(actual).lines)
        guard described.0 == described.1 else { return described }
        return (
            ValueText(expected, ignoresDescriptions: true).lines, ValueText(actual, ignoresDescriptions: true).lines
        )
    }

    /// Source: Myers, "An O(ND) Difference Algorithm and Its Variations" (1986), by the standard library.
    private static func compare(_ expected: [String], _ actual: [String]) -> [Line] {
        let difference = actual.difference(from: expected)
        var removed: Set<Int> = []
        var inserted: Set<Int> = []
        for change in difference {
            switch change {
            case .remove(let offset, _, _): removed.insert(offset)
            case .insert(let offset, _, _): inserted.insert(offset)
            }
        }
        var lines: [Line] = []
        var (left, right) = (0, 0)
        while left < expected.count || right < actual.count {
            if left < expected.count, removed.contains(left) {
                lines.append(.expected(expected[left]))
                left += 1
            } else if right < actual.count, inserted.contains(right) {
                lines.append(.actual(actual[right]))
                right += 1
            } else {
                lines.append(.both(actual[right]))
                (left, right) = (left + 1, right + 1)
            }
        }
        return lines
    }

    private static func abridged(_ lines: [Line]) -> [String] {
        let differing = lines.indices.filter { !lines[$0].isBoth }
        var shown: Set<Int> = []
        for index in differing { shown.formUnion((index - context)...(index + context)) }
        var texts: [String] = []
        var left = 0
        for (index, line) in lines.enumerated() {
            guard !shown.contains(index) else {
                if left > 0 { texts.append("  … (\(left) equal \(left == 1 ? "line" : "lines"))") }
                left = 0
                texts.append(line.text)
                continue
            }
            left += 1
        }
        if left > 0 { texts.append("  … (\(left) equal \(left == 1 ? "line" : "lines"))") }
        return texts
    }
}
