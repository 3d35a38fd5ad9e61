import SiteAudit

/// A web site in memory: what each URL answers.
struct FakeSite {
    var answers: [String: FetchAnswer] = [:]
    var failures: [String: FetchFailure] = [:]
    /// What some URLs answer to so many requests before they answer as they should.
    var passing: [String: (count: Int, event: Received)] = [:]
    /// Where some URLs redirect to requests without a cookie.
    var gates: [String: (cookie: String, location: String)] = [:]
    /// The cookie that some URLs set.
    var cookies: [String: String] = [:]
    /// The content type that some URLs answer to HEAD.
    var heads: [String: String] = [:]

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

    mutating func unread(_ url: String, _ reason: FetchAnswer.Unread) {
        answers[url] = FetchAnswer(status: 200, contentType: "text/html")
        answers[url]?.unread = reason
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
        var answer = answer(request.url, request.cookies ?? [])
        if request.purpose == .visit { answer = visited(request, answer) }
        if request.purpose == .check { (answer.page, answer.unread) = (nil, nil) }
        if request.purpose == .check, let type = heads[request.url] {
            (answer.contentType, answer.isHead) = (type, true)
        }
        if request.purpose != .robots { answer.text = nil }
        return .fetched(request, answer)
    }

    /// The answer to one request with these cookies.
    private func answer(_ url: String, _ known: [String]) -> FetchAnswer {
        var answer = answers[url] ?? FetchAnswer(status: 404, contentType: "text/html")
        if let gate = gates[url], known.contains(gate.cookie) == false {
            answer = FetchAnswer(status: 302, location: gate.location)
        }
        if let cookie = cookies[url], known.contains(cookie) == false { answer.cookies = known + [cookie] }
        return answer
    }

    /// Follows redirects as a browser does.
    private func visited(_ request: FetchRequest, _ first: FetchAnswer) -> FetchAnswer {
        let origin = { (url: String) in WebURL(url)?.origin ?? "" }
        var jar = [origin(request.url): request.cookies ?? []]
        var (answer, url) = (first, request.url)
        for _ in 0..<10 {
            if let cookies = answer.cookies { jar[origin(url)] = cookies }
            guard 301...308 ~= answer.status, let location = answer.location else { break }
            url = String(location.prefix { $0 != "#" })
            answer = self.answer(url, jar[origin(url)] ?? [])
        }
        if url != request.url, (301...308 ~= answer.status) == false { answer.location = url }
        return answer
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
