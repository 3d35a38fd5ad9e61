/// A part of a page that is too large for one event; the last one comes with the answer.
public struct PagePart: Codable, Sendable, Equatable {
    /// Identifies the attempt, because another attempt may have received another page.
    public var attempt: String
    /// Its place among them, from 0.
    public var number: Int
    /// Some of the links and anchors.
    public var page: FetchedPage

    /// Describes a part.
    public init(attempt: String, number: Int, page: FetchedPage) {
        self.attempt = attempt
        self.number = number
        self.page = page
    }
}

extension FetchedPage {
    /// About how many bytes a part has at most: far below every limit on payloads, and 1,000 links.
    public static let partBytes = 128 << 10

    /// The page in parts of at most about `bytes` in encoded form, in order, at least one.
    ///
    /// A larger single link or anchor is a separate part.
    public func parts(of bytes: Int = partBytes) -> [FetchedPage] {
        var parts: [FetchedPage] = []
        var part = FetchedPage(links: [], anchors: [])
        var size = 0
        func add(_ count: Int, _ body: (inout FetchedPage) -> Void) {
            if size > 0, size + count > bytes {
                parts.append(part)
                (part, size) = (FetchedPage(links: [], anchors: []), 0)
            }
            size += count
            body(&part)
        }
        for link in links { add(link.codedBytes) { $0.links.append(link) } }
        // An anchor may be percent-encoded, three bytes for one.
        for anchor in anchors { add(anchor.utf8.count * 3 + 1) { $0.anchors.append(anchor) } }
        return parts + [part]
    }
}

extension FetchedLink {
    /// An upper bound of its line in the page's coded form.
    fileprivate var codedBytes: Int { 28 + (url ?? written).utf8.count * 3 + (fragment?.utf8.count ?? 0) * 3 }
}
