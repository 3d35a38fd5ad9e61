import SiteAudit

/// A site of any size whose pages are made up when asked for; the same number gives the same page.
struct SyntheticSite {
    static let start = "http://audit.example/"

    let pages: Int
    private var anywhere: Range<Int> { 0..<(pages + pages / 100) }

    init(pages: Int) {
        self.pages = pages
    }

    /// The event with which a fetcher would answer.
    func answer(to request: FetchRequest) -> Audit.Event {
        guard let number = Self.number(of: request.url), number < pages else {
            return .fetched(request, FetchAnswer(status: 404, contentType: "text/html"))
        }
        // What a page of documentation links to: the home page, its section, the pages before and after it, two of its
        // section, two that lead on (so every page is reached) and two anywhere, one in a hundred of which are missing.
        let section = number / 100 * 100
        var targets = [0, section, max(number - 1, 0), min(number + 1, pages - 1)]
        targets += [2 * number + 1, 2 * number + 2].map { min($0, pages - 1) }
        var random = UInt64(number) &+ 1
        for range in [section..<min(section + 100, pages), section..<min(section + 100, pages), anywhere, anywhere] {
            random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            targets.append(range.lowerBound + Int(random >> 33) % range.count)
        }
        let links = targets.enumerated().map { line, target in
            FetchedLink(
                written: "/\(target)", url: Self.url(target), fragment: line % 5 == 4 ? "top" : nil, line: line + 1,
                kind: .document)
        }
        let page = FetchedPage(links: links, anchors: ["top", "content", "end"])
        return .fetched(request, FetchAnswer(status: 200, contentType: "text/html", page: page))
    }

    private static func url(_ number: Int) -> String {
        number == 0 ? start : "\(start)section-\(number / 100)/page-\(number).html"
    }

    private static func number(of url: String) -> Int? {
        if url == start { return 0 }
        return url.split(separator: "-").last.flatMap { Int($0.dropLast(".html".count)) }
    }
}
