/// The steps to the first page: `robots.txt`, then the start URL through its redirects.
extension Audit.Model {
    /// Requests `start`, after the `robots.txt` of its origin.
    mutating func open(_ start: WebURL, _ effects: inout [Audit.Effect]) {
        opening.url = start.text
        if origin == start.origin + "/" { return openPage(start, &effects) }
        phase = .readingRobots
        opening.robotsHops = 0
        askRobots("\(start.origin)/robots.txt", &effects)
    }

    // MARK: robots.txt

    mutating func askRobots(_ url: String, _ effects: inout [Audit.Effect]) {
        opening.robotsURL = url
        let origin = WebURL(url)?.origin ?? ""
        effects.append(
            .fetch(
                FetchRequest(
                    url: url, purpose: .robots, timeLimit: request?.timeLimit,
                    retry: retries.failures[Retries.robots], credentials: credentials(for: url),
                    cookies: cookies(for: origin))))
    }

    mutating func receiveRobots(
        _ received: Received, to asked: FetchRequest, _ effects: inout [Audit.Effect]
    ) -> Bool {
        let origin = WebURL(asked.url)?.origin ?? ""
        guard phase == .readingRobots, asked.url == opening.robotsURL,
            asked.retry == retries.failures[Retries.robots], asked.cookies == cookies(for: origin)
        else { return false }
        if putOffRobots(after: received, &effects) { return true }
        retries.failures[Retries.robots] = nil
        keepCookies(of: received, from: origin)
        readRobots(received, &effects)
        return true
    }

    /// RFC 9309, 2.3.1: an absent file allows everything, a failing server nothing.
    private mutating func readRobots(_ received: Received, _ effects: inout [Audit.Effect]) {
        guard let start = WebURL(opening.url) else { return }
        switch received {
        case .failed(let failure):
            return end(Sentence.unanswered(opening.url, failure), &effects)
        case .answered(let answer) where answer.status >= 500:
            return end(
                .unreachable(Sentence.robotsFailed(opening.robotsURL, "answers with status \(answer.status)")), &effects
            )
        case .answered(let answer) where answer.unread != nil:
            let reason = answer.unread.map(Sentence.reason) ?? ""
            return end(.unreachable(Sentence.robotsFailed(opening.robotsURL, "is \(reason)")), &effects)
        case .answered(let answer):
            if answer.isRedirect, opening.robotsHops < 5, let target = Redirect.target(answer.location) {
                opening.robotsHops += 1
                return askRobots(target.url, &effects)
            }
            robots = 200..<300 ~= answer.status ? RobotsRules(answer.text ?? "") : .allowAll
        }
        origin = start.origin + "/"
        for number in 0..<addresses.count where addresses.hasPrefix(number, origin) == false {
            addresses[number].flags.remove(.isLocal)
        }
        openPage(start, &effects)
    }

    // MARK: The first page

    private mutating func openPage(_ start: WebURL, _ effects: inout [Audit.Effect]) {
        guard robots.allows(start) else {
            return end(.unreachable(Sentence.forbidden(start.text, opening.robotsURL)), &effects)
        }
        phase = .opening
        let number = addresses.number(of: start.text)
        guard opening.asked.contains(number) == false else {
            return end(.unreachable(Sentence.unreachable(opening.url, "redirects in a loop")), &effects)
        }
        opening.asked.append(number)
        addresses[number].flags = [.isDocument, .isLocal, .isCrawled, .hadTurn]
        enqueue(number)
        dispatch(&effects)
    }

    /// The start URL, or its redirect's target, has answered: the audit begins, follows a redirect, or ends.
    mutating func openAnswered(_ number: Int32, _ received: Received, _ effects: inout [Audit.Effect]) {
        keepCookies(of: received, from: hosts[addresses[number].host].origin)
        let start = opening.url
        switch received {
        case .failed(let failure):
            end(Sentence.unanswered(start, failure), &effects)
        case .answered(let answer) where answer.isRedirect:
            opening.hops += 1
            guard let target = Redirect.target(answer.location), let next = WebURL(target.url) else {
                return end(.unreachable(Sentence.unreachable(start, "redirects nowhere")), &effects)
            }
            guard opening.hops <= Redirect.limit else {
                return end(.unreachable(Sentence.unreachable(start, Sentence.tooManyRedirects)), &effects)
            }
            open(next, &effects)
        case .answered(let answer) where 200..<300 ~= answer.status:
            if let unread = answer.unread {
                return end(.unreachable(Sentence.unreachable(start, Sentence.reason(unread))), &effects)
            }
            guard let page = answer.page else {
                return end(.unreachable(Sentence.noPage(start, answer.contentType)), &effects)
            }
            settleScope()
            phase = .crawling
            crawl(page, number)
        case .answered(let answer):
            end(.unreachable(Sentence.unreachable(start, Sentence.reason(status: answer.status))), &effects)
        }
    }

    /// The start's directory, or after redirects below or beside it the intended directory.
    private mutating func settleScope() {
        guard let asked = WebURL(request?.start ?? ""), let found = WebURL(opening.url) else { return }
        if asked.path.hasSuffix("/") == false, found.path.hasPrefix(asked.path + "/") {
            scope = "\(found.origin)\(asked.path)/"
        } else if found.path.hasPrefix(asked.directory) {
            scope = found.origin + asked.directory
        } else {
            scope = found.origin + found.directory
        }
    }

    // MARK: Cookies and credentials

    /// More than a server gets from curl or a browser.
    private static var mostCookieBytes: Int { 8 << 10 }

    /// Keeps an answer's cookies, if they are others: all addresses may be asked again with them.
    private mutating func keepCookies(of received: Received, from origin: String) {
        guard case .answered(let answer) = received, let cookies = answer.cookies, cookies != identity.cookies[origin],
            cookies.reduce(0, { $0 + $1.utf8.count }) <= Self.mostCookieBytes
        else { return }
        identity.cookies[origin] = cookies
        opening.asked = []
    }

    /// The cookies that are sent with requests to `origin`.
    func cookies(for origin: String) -> [String]? {
        identity.cookies.isEmpty ? nil : identity.cookies[origin]
    }

    /// The start URL's user and password, which are sent with all requests to its origin.
    func credentials(for url: String) -> String? {
        guard let origin = identity.credentialOrigin, url.hasPrefix(origin) else { return nil }
        return identity.credentials
    }
}
