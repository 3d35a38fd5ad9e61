import SiteAudit

/// A site of any size whose pages are made up when asked for; the same number gives the same page.
struct SyntheticSite {
    static let start = "http://audit.example/"
    static let links = 10

    let pages: Int

    /// The event with which a fetcher would answer.
    func answer(to request: FetchRequest) -> Audit.Event {
        guard let number = Self.number(of: request.url), number < pages else {
            return .fetched(request, FetchAnswer(status: 404, contentType: "text/html"))
        }
        // Two links lead on, so that every page is reached; the others lead anywhere, one in a hundred nowhere.
        var targets = [2 * number + 1, 2 * number + 2].map { $0 < pages ? $0 : 0 }
        var random = UInt64(number) &+ 1
        while targets.count < Self.links {
            random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            targets.append(Int(random >> 33) % (pages + pages / 100))
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
