import MobiusCodec
import MobiusProcess
import MobiusWire
import Yams

/// A value in a YAML document, with its file and key for error messages.
struct YAMLValue {
    let file: String
    let key: String
    let node: Node

    /// One entry of a mapping.
    struct Entry {
        let name: String
        let value: YAMLValue
    }

    /// An error at this value.
    func error(_ problem: String) -> TopologyError {
        TopologyError(file: file, line: node.mark?.line, column: node.mark?.column, key: key, problem: problem)
    }

    /// The entries of a mapping in the file's order; `expectation` describes the mapping in error messages.
    func entries(_ expectation: String) throws -> [Entry] {
        guard case .mapping(let mapping) = node else {
            throw error("must be \(expectation), not \(kind)")
        }
        // Yams compares keys with their tags: to it, `1`, `"1"` and `!x 1` are three.
        var names: Set<ExactText> = []
        return try mapping.map { entry in
            guard case .scalar(let name) = entry.key else {
                throw error("has a key that is not a plain word")
            }
            guard names.insert(ExactText(name.string)).inserted else {
                throw YAMLValue(file: file, key: key, node: entry.key).error("has a key twice: \(name.string)")
            }
            let path = key.isEmpty ? name.string : "\(key).\(name.string)"
            return Entry(name: name.string, value: YAMLValue(file: file, key: path, node: entry.value))
        }
    }

    /// The entries of a mapping by name; any key that is not allowed is an error.
    func entries(allowed: [String], _ expectation: String) throws -> [String: YAMLValue] {
        guard case .mapping(let mapping) = node else {
            throw error("must be \(expectation), not \(kind)")
        }
        for entry in mapping {
            guard case .scalar(let name) = entry.key, allowed.contains(name.string) else {
                // The error is at the key itself, not at its value.
                let place = YAMLValue(file: file, key: key, node: entry.key)
                guard let name = entry.key.scalar?.string else {
                    throw place.error("unknown key that is not a plain word; allowed here: \(allowed.list)")
                }
                let meant = NearestName.of(name, in: allowed).map { "did you mean '\($0)'? Allowed" } ?? "allowed"
                throw place.error("unknown key '\(name)'; \(meant) here: \(allowed.list)")
            }
        }
        return Dictionary(uniqueKeysWithValues: try entries(expectation).map { ($0.name, $0.value) })
    }

    /// The items of a list.
    func items(_ expectation: String) throws -> [YAMLValue] {
        guard case .sequence(let sequence) = node else {
            throw error("must be \(expectation), not \(kind)")
        }
        return sequence.enumerated().map { YAMLValue(file: file, key: "\(key)[\($0.offset)]", node: $0.element) }
    }

    /// The text of a scalar as written.
    ///
    /// `on`, `8080` and `"x"` are texts, too; an empty value (`key:`) is not.
    func text(_ expectation: String) throws -> String {
        guard case .scalar(let scalar) = node, node.tag.rawValue != Tag.Name.null.rawValue else {
            throw error("must be \(expectation), not \(kind)")
        }
        guard !scalar.string.utf8.contains(0) else { throw error("must not contain a NUL character") }
        return scalar.string
    }

    /// A whole number in a range, not quoted.
    func integer(in range: ClosedRange<Int>) throws -> Int {
        let expectation = "a whole number from \(range.lowerBound) to \(range.upperBound)"
        let text = try text(expectation)
        guard node.tag.rawValue == Tag.Name.int.rawValue, let number = Int(text), range.contains(number) else {
            throw error("must be \(expectation), not '\(text)'")
        }
        return number
    }

    /// One of these words; `other` describes other valid values in error messages.
    func word(of words: [String], or other: String = "") throws -> String {
        let expectation = "one of \(words.list)\(other)"
        let text = try text(expectation)
        guard words.contains(text) else {
            let meant = NearestName.of(text, in: words).map { "; did you mean '\($0)'?" } ?? ""
            throw error("must be \(expectation), not '\(text)'\(meant)")
        }
        return text
    }

    /// A duration.
    func duration(atLeast least: Duration = .zero) throws -> Duration {
        let limit = least > .zero ? ", at least \(DurationArgument(least))" : ""
        let expectation = "a length of time such as 10s, 250ms or 2m\(limit)"
        let text = try text(expectation)
        guard let duration = DurationArgument(argument: text)?.duration, duration >= least else {
            throw error("must be \(expectation), not '\(text)'")
        }
        return duration
    }

    /// A number of bytes in a range.
    func size(in range: ClosedRange<UInt32>) throws -> Int {
        let (least, most) = (SizeArgument(bytes: Int(range.lowerBound)), SizeArgument(bytes: Int(range.upperBound)))
        let expectation = "\(SizeArgument.expectation), from \(least) to \(most)"
        let text = try text(expectation)
        guard let bytes = SizeArgument(argument: text)?.bytes, (least.bytes...most.bytes).contains(bytes) else {
            throw error("must be \(expectation), not '\(text)'")
        }
        return bytes
    }

    /// Whether it is a text in quotation marks.
    var isQuoted: Bool {
        guard case .scalar(let scalar) = node else { return false }
        return scalar.style == .singleQuoted || scalar.style == .doubleQuoted
    }

    /// Whether it is a mapping.
    var isMapping: Bool {
        if case .mapping = node { true } else { false }
    }

    /// A description of the value for error messages.
    private var kind: String {
        switch node {
        case .scalar(let scalar) where node.tag.rawValue == Tag.Name.null.rawValue:
            scalar.string.isEmpty ? "empty" : "'\(scalar.string)'"
        case .scalar(let scalar): "'\(scalar.string)'"
        case .mapping: "a mapping"
        case .sequence: "a list"
        case .alias: "an alias"
        }
    }
}

extension [String] {
    /// The words with commas between them.
    fileprivate var list: String { joined(separator: ", ") }
}
