/// All messages for people.
enum Sentence {
    static let tooManyRedirects = "more than \(Redirect.limit) redirects in a row"

    static func reason(_ fault: Fault) -> String {
        switch fault {
        case .invalid: "not a valid URL"
        case .status(let status): reason(status: status)
        case .failed(let failure): reason(failure)
        case .missingAnchor(let fragment): "no anchor “\(fragment)” on that page"
        case .wrongType(let use, let type): "\(wanted(use)) is wanted here, this is \(type)"
        case .redirectLoop: "redirects in a loop"
        case .tooManyRedirects: tooManyRedirects
        case .redirectNowhere: "redirects, but does not say where to"
        }
    }

    /// The reason in a table of reasons, where it stands for many links.
    static func group(_ fault: Fault) -> String {
        switch fault {
        case .status(let status): "\(status) \(reason(status: status))"
        case .missingAnchor: "no such anchor on the page"
        case .wrongType(let use, _): "not \(wanted(use)), which is wanted there"
        default: reason(fault)
        }
    }

    static func reason(_ unread: FetchAnswer.Unread) -> String {
        switch unread {
        case .coding: "in an unknown coding"
        case .tooLarge: "too large"
        }
    }

    static func reason(_ failure: FetchFailure) -> String {
        switch failure {
        case .hostNotFound: "there is no such host"
        case .connectionFailed: "the host does not accept connections"
        case .timedOut: "no answer within the time limit"
        case .insecure: "the host's certificate is not trusted"
        case .invalidAnswer: "the answer is invalid or too large"
        case .brokenOff: "the answer broke off before its end"
        case .workerFailed: "no worker could check it"
        case .workerTimedOut: "not checked: no page-fetcher worker answered in time"
        }
    }

    static func reason(status: Int) -> String {
        let phrases = [
            400: "bad request", 401: "log-in required", 402: "payment required", 403: "forbidden", 404: "not found",
            405: "method not allowed", 406: "not acceptable", 408: "request timed out", 409: "conflict", 410: "gone",
            414: "URL too long", 418: "a teapot", 421: "misdirected request", 423: "locked", 425: "too early",
            426: "upgrade required", 429: "too many requests", 451: "unavailable for legal reasons",
            500: "internal server error", 501: "not implemented", 502: "bad gateway", 503: "service unavailable",
            504: "gateway timed out", 505: "HTTP version not supported", 507: "no storage left", 508: "loop detected",
        ]
        return phrases[status] ?? (status >= 400 ? "an error" : "an unexpected answer")
    }

    private static func wanted(_ use: LinkRecord.Use) -> String {
        switch use {
        case .image: "an image"
        case .script: "a script"
        case .stylesheet: "a stylesheet"
        case .document, .other: "a document"
        }
    }
}

// MARK: - What was not read
extension Summary {
    /// The omissions of the audit, one sentence each, for people.
    public var omissions: [String] {
        var sentences: [String] = []
        if unread.isEmpty == false {
            let count = unread.reduce(0) { $0 + $1.count }
            let reasons = unread.map { "\($0.count) \($0.reason)" }.joined(separator: ", ")
            sentences.append("\(count) \(count == 1 ? "page" : "pages") not read: \(reasons)")
        }
        if disallowed > 0 {
            sentences.append("\(disallowed) \(disallowed == 1 ? "address" : "addresses") left alone as robots.txt asks")
        }
        if let cutShort { sentences.append(cutShort.sentence) }
        return sentences
    }
}

extension CutShort {
    /// The message for people.
    public var sentence: String {
        let left = pages == 1 ? "1 page that was found was" : "\(pages) pages that were found were"
        return "stopped by \(limit.rawValue) \(value): \(left) not crawled; a higher \(limit.rawValue) crawls more"
    }
}

// MARK: - Outcomes

extension Sentence {
    static func noURL(_ start: String) -> String {
        "“\(WebURL.withoutSecrets(start))” is not an http or https URL; give the address of the first page, such as https://example.org/"
    }

    static func unreachable(_ url: String, _ reason: String) -> String {
        "\(url) cannot be audited: \(reason); check the URL and that its server runs"
    }

    /// The outcome of an audit whose first request failed, because of the worker or of the server.
    static func unanswered(_ url: String, _ failure: FetchFailure) -> Outcome {
        switch failure {
        case .workerTimedOut: .workersFailed(workersFailed(url, "did not answer in time in any attempt"))
        case .workerFailed: .workersFailed(workersFailed(url, "failed in every attempt"))
        default: .unreachable(unreachable(url, reason(failure)))
        }
    }

    private static func workersFailed(_ url: String, _ what: String) -> String {
        "the page-fetcher workers that were to fetch \(url) \(what); nothing is known of the URL itself; "
            + "the coordinator's log names the workers; restart them, and run the same command again"
    }

    static func noPage(_ url: String, _ type: String?) -> String {
        "\(url) is not an HTML page but \(type ?? "of no known type"); start at a page"
    }

    static func robotsFailed(_ url: String, _ problem: String) -> String {
        "\(url) \(problem), so it is unknown what may be fetched; try again when its server works"
    }

    static func forbidden(_ url: String, _ robots: String) -> String {
        "\(robots) forbids “\(RobotsRules.agent)” to fetch \(url); allow it there, or start elsewhere"
    }

    static func unfinished(_ request: AuditRequest?) -> String {
        "an audit of \(WebURL.withoutSecrets(request?.start ?? "another site")) with other options is unfinished in this journal; "
            + "finish it with its own options first, or take another journal with --journal"
    }

    static let partsLost =
        "its writers lose what they were sent, as when each has a disk of its own and they take turns"

    static func unwritten(_ reason: String) -> String {
        "the report cannot be written: \(reason); make room there or choose another folder with --report, "
            + "nothing has to be fetched again"
    }
}
