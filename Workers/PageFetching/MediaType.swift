/// What a `Content-Type` header says, as far as a link audit cares.
package struct MediaType: Equatable, Sendable {
    /// Type and subtype in lower case without parameters, such as `text/html`.
    package var essence: String
    /// The `charset` parameter in lower case without quotes; `nil` when there is none.
    package var charset: String?

    /// Reads a header value; `nil` when it names no type at all.
    package init?(header: String) {
        var parts = header.split(separator: ";", omittingEmptySubsequences: false)
        let essence = parts.removeFirst().trimmingASCIISpace.lowercased()
        guard essence.isEmpty == false else { return nil }
        self.essence = essence
        for parameter in parts {
            let halves = parameter.split(separator: "=", maxSplits: 1)
            guard halves.count == 2, halves[0].trimmingASCIISpace.lowercased() == "charset" else { continue }
            let value = halves[1].trimmingASCIISpace.filter { $0 != "\"" && $0 != "'" }
            charset = charset ?? (value.isEmpty ? nil : value.lowercased())
        }
    }

    /// Whether a body of this type is read for links.
    package var isHTML: Bool { essence == "text/html" || essence == "application/xhtml+xml" }
}

extension StringProtocol {
    /// Without HTML's white space (and other control characters) at both ends.
    var trimmingASCIISpace: String {
        var bytes = Substring(self).utf8
        while let first = bytes.first, first <= 0x20 { bytes.removeFirst() }
        while let last = bytes.last, last <= 0x20 { bytes.removeLast() }
        return String(Substring(bytes))
    }
}
