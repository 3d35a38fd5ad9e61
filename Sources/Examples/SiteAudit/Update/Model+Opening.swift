/// The steps to the first page: `robots.txt`, then the start URL through its redirects.
extension Audit.Model {
    private typealias Effect = Audit.Effect

    /// Requests `start`, after the `robots.txt` of its origin.
    mutating func open(_ start: WebURL, _ effects: inout [Audit.Effect]) {
        opening.url = start.text
        if origin == start.origin + "/" { return openPage(start, &effects) }
        phase = .readingRobots
        opening.robotsHops = 0
        askRobots("\(start.origin)/robots.txt", &effects)
    }

    mutating func askRobots(_ url: String, _ effects: inout [Audit.Effect]) {
        opening.robotsURL = url
        effects.append(
            .fetch(
                FetchRequest(
                    url: url, purpose: .robots, timeLimit: request?.timeLimit,
                    retry: retries.failures[Retries.robots], credentials: credentials(for: url))))
    }

    /// RFC 9309, 2.3.1: an absent file allows everything, a failing server nothing.
    mutating func readRobots(_ received: Received, _ effects: inout [Audit.Effect]) {
        guard let start = WebURL(opening.url) else { return }
        switch received {
        case .failed(let failure):
            return end(Sentence.unanswered(opening.url, failure), &effects)
        case .answered(let answer) where answer.status >= 500:
            return end(.unreachable(Sentence.robotsFailed(opening.robotsURL, answer.status)), &effects)
        case .answered(let answer):
            if answer.isRedirect, opening.robotsHops < 5, let target = Redirect.target(answer.location) {
                opening.robotsHops += 1
                return askRobots(target.url, &effects)
            }
            robots = 200..<300 ~= answer.status ? RobotsRules(answer.text ?? "") : .allowAll
        }
        origin = start.origin + "/"
        for number in 0..<Int32(addresses.count) where addresses.hasPrefix(number, origin) == false {
            addresses[number].flags.remove(.isLocal)
        }
        openPage(start, &effects)
    }

    private mutating func openPage(_ start: WebURL, _ effects: inout [Audit.Effect]) {
        guard robots.allows(start) else {
            return end(.unreachable(Sentence.forbidden(start.text, opening.robotsURL)), &effects)
        }
        phase = .opening
        let number = addresses.number(of: start.text)
        guard addresses[number].state == .new else {
            return end(.unreachable(Sentence.unreachable(opening.url, "redirects in a loop")), &effects)
        }
        addresses[number].flags = [.isDocument, .isLocal, .isCrawled]
        enqueue(number)
        dispatch(&effects)
    }

    /// The start URL, or its redirect's target, has answered: the audit begins, follows a redirect, or ends.
    mutating func openAnswered(_ number: Int32, _ received: Received, _ effects: inout [Audit.Effect]) {
        switch received {
        case .failed(let failure):
            end(Sentence.unanswered(opening.url, failure), &effects)
        case .answered(let answer) where answer.isRedirect:
            opening.hops += 1
            guard let target = Redirect.target(answer.location), let next = WebURL(target.url) else {
                return end(.unreachable(Sentence.unreachable(opening.url, "redirects nowhere")), &effects)
            }
            guard opening.hops <= Redirect.limit else {
                return end(.unreachable(Sentence.unreachable(opening.url, Sentence.tooManyRedirects)), &effects)
            }
            open(next, &effects)
        case .answered(let answer) where 200..<300 ~= answer.status:
            guard let page = answer.page else {
                return end(.unreachable(Sentence.noPage(opening.url, answer.contentType)), &effects)
            }
            settleScope()
            phase = .crawling
            crawl(page, number)
        case .answered(let answer):
            end(.unreachable(Sentence.unreachable(opening.url, Sentence.reason(status: answer.status))), &effects)
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
}
