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

    var isEmpty: Bool { pages.isEmpty }

    /// Takes a part; returns whether it was new.
    ///
    /// The first part of another attempt restarts the page; any other part out of sequence is a repetition.
    mutating func take(_ part: PagePart, of number: Int32) -> Bool {
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
