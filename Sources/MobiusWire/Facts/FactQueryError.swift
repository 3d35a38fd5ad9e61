/// The reason why the text of a query or a sort cannot be read.
public struct FactQueryError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A sentence: what is wrong, and what to do.
    public let message: String
    /// The part of the text around the place, and below it a caret; `nil` if it has no one place.
    public let excerpt: String?

    /// The message, and below it the ``excerpt``.
    public var description: String { excerpt.map { "\(message)\n\($0)" } ?? message }

    init(_ message: String) {
        self.message = message
        excerpt = nil
    }

    /// Points at the byte `offset` of `text`.
    init(_ message: String, in text: String, at offset: Int) {
        self.message = message
        let caret = String(decoding: text.utf8.prefix(offset), as: UTF8.self).unicodeScalars.count
        let first = max(0, caret - 50)
        let scalars = text.unicodeScalars.dropFirst(first).prefix(80)
        let lead = first > 0 ? "…" : ""
        let tail = scalars.endIndex < text.unicodeScalars.endIndex ? "…" : ""
        let space = String(repeating: " ", count: lead.count + caret - first)
        excerpt = "    \(lead)\(Self.printable(scalars))\(tail)\n    \(space)^"
    }

    /// Text in which nothing controls a terminal.
    private static func printable(_ scalars: some Sequence<Unicode.Scalar>) -> String {
        var text = ""
        for scalar in scalars {
            let isPlain = ![.control, .format, .lineSeparator, .paragraphSeparator].contains(
                scalar.properties.generalCategory)
            text.unicodeScalars.append(isPlain ? scalar : " ")
        }
        return text
    }

    /// A word of the text, in quotes, so that a message can name it.
    static func quoted(_ word: String) -> String {
        let scalars = word.unicodeScalars
        return "'\(printable(scalars.prefix(40)))\(scalars.dropFirst(40).isEmpty ? "" : "…")'"
    }
}
