import SiteAudit

/// A web site in memory: what each URL answers.
struct FakeSite {
    var answers: [String: FetchAnswer] = [:]
    var failures: [String: FetchFailure] = [:]
    /// What some URLs answer to so many requests before they answer as they should.
    var passing: [String: (count: Int, event: Received)] = [:]

    /// An answer or none.
    enum Received {
        case status(Int, retryAfter: Int? = nil)
        case failure(FetchFailure)
    }

    /// A link as a test writes it.
    struct Link {
        var written: String
        var kind: FetchedLink.Kind = .document
        var line = 1
    }

    /// Adds an HTML page; lines count up from 1 when links have none of their own.
    mutating func page(_ url: String, _ links: [Link] = [], anchors: [String] = []) {
        guard let base = WebURL(url) else { return }
        let found = links.enumerated().compactMap { index, link -> FetchedLink? in
            let line = link.line == 1 ? index + 1 : link.line
            switch base.resolve(link.written) {
            case .web(let url, let fragment):
                return FetchedLink(written: link.written, url: url, fragment: fragment, line: line, kind: link.kind)
            case .invalid:
                return FetchedLink(written: link.written, url: nil, fragment: nil, line: line, kind: link.kind)
            case .skipped:
                return nil
            }
        }
        let page = FetchedPage(links: found, anchors: anchors)
        answers[url] = FetchAnswer(status: 200, contentType: "text/html", page: page)
    }

    mutating func file(_ url: String, _ type: String?, status: Int = 200) {
        answers[url] = FetchAnswer(status: status, contentType: type)
    }

    mutating func redirect(_ url: String, to location: String?, status: Int = 301) {
        answers[url] = FetchAnswer(status: status, location: location)
    }

    mutating func robots(_ origin: String, _ text: String) {
        answers["\(origin)/robots.txt"] = FetchAnswer(status: 200, contentType: "text/plain", text: text)
    }

    /// What a fetcher would send back.
    func event(for request: FetchRequest) -> Audit.Event {
        if let (count, received) = passing[request.url], request.retry ?? 0 < count {
            switch received {
            case .failure(let failure): return .fetchFailed(request, failure)
            case .status(let status, let retryAfter):
                return .fetched(request, FetchAnswer(status: status, retryAfter: retryAfter))
            }
        }
        if let failure = failures[request.url] { return .fetchFailed(request, failure) }
        var answer = answers[request.url] ?? FetchAnswer(status: 404, contentType: "text/html")
        if request.purpose != .page { answer.page = nil }
        if request.purpose != .robots { answer.text = nil }
        return .fetched(request, answer)
    }
}

extension FakeSite.Link: ExpressibleByStringLiteral {
    init(stringLiteral value: String) { self.init(written: value) }

    static func image(_ written: String) -> Self { Self(written: written, kind: .image) }
    static func script(_ written: String) -> Self { Self(written: written, kind: .script) }
    static func stylesheet(_ written: String) -> Self { Self(written: written, kind: .stylesheet) }
    static func other(_ written: String) -> Self { Self(written: written, kind: .other) }
}

/// Numbers that look random and are the same each time (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}
