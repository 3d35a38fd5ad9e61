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

/// Pages of which some parts have arrived.
struct PartialPages: Codable, Sendable, Equatable {
    private struct Partial: Codable, Sendable, Equatable {
        var number: Int32
        var attempt: String
        var count: Int
        var page: FetchedPage
    }

    /// There are few: the pending large pages.
    private var pages: [Partial] = []

    /// Accepts a part if it is new; returns whether it was.
    ///
    /// The first part of another attempt restarts the page; any other part out of sequence is a repetition.
    mutating func accept(_ part: PagePart, of number: Int32) -> Bool {
        guard let place = pages.firstIndex(where: { $0.number == number }) else {
            guard part.number == 0 else { return false }
            pages.append(Partial(number: number, attempt: part.attempt, count: 1, page: part.page))
            return true
        }
        if pages[place].attempt == part.attempt, pages[place].count == part.number {
            pages[place].count += 1
            pages[place].page.links += part.page.links
            pages[place].page.anchors += part.page.anchors
            return true
        }
        guard part.number == 0, pages[place].attempt != part.attempt else { return false }
        pages[place] = Partial(number: number, attempt: part.attempt, count: 1, page: part.page)
        return true
    }

    /// The whole page, from its parts and its `end`; removes the parts.
    mutating func complete(
        _ end: FetchedPage?, after before: FetchAnswer.PartsBefore?, of number: Int32
    ) -> FetchedPage? {
        guard let place = pages.firstIndex(where: { $0.number == number }) else { return end }
        let partial = pages.remove(at: place)
        guard let end, let before, partial.attempt == before.attempt, partial.count == before.count else { return end }
        return FetchedPage(links: partial.page.links + end.links, anchors: partial.page.anchors + end.anchors)
    }
}
