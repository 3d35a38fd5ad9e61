import FleetTestSupport
import Foundation
import Logging
import PageFetching
import SiteAudit

extension FetchLimits {
    /// The usual ones, with time for a machine, or a name server, that has none.
    static var patient: FetchLimits {
        var limits = FetchLimits()
        limits.timeout = Patience.limit
        return limits
    }
}

/// A fetcher of its own for one test.
func makeFetcher(_ limits: FetchLimits = .patient) -> Fetcher {
    Fetcher(limits: limits, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
}

/// What becomes of one request.
func fetch(
    _ url: String, _ purpose: FetchRequest.Purpose = .page, _ limits: FetchLimits = .patient,
    by deadline: ContinuousClock.Instant? = nil
) async -> FetchOutcome {
    let fetcher = makeFetcher(limits)
    let outcome = await fetcher.fetch(FetchRequest(url: url, purpose: purpose), by: deadline)
    await fetcher.shutdown()
    return outcome
}

/// The answer to a request, which must have one.
func answer(
    _ url: String, _ purpose: FetchRequest.Purpose = .page, _ limits: FetchLimits = .patient
) async throws -> FetchAnswer {
    let outcome = await fetch(url, purpose, limits)
    guard case .answered(let answer) = outcome else { throw NoAnswer(outcome: outcome) }
    return answer
}

struct NoAnswer: Error { var outcome: FetchOutcome }

extension FetchAnswer {
    /// The same answer, to HEAD.
    var ofHead: FetchAnswer {
        var answer = self
        answer.isHead = true
        return answer
    }

    /// The same answer, whose page was not read.
    func unread(_ reason: Unread) -> FetchAnswer {
        var answer = self
        answer.unread = reason
        return answer
    }

    /// The links of its page, as written; `nil` without a page.
    var links: [String]? { page?.links.map { $0.url ?? $0.written } }
}

/// A good answer, whole; `length` where it shall lie about its body, or has none because of HEAD.
func ok(_ body: String, type: String = "text/html", length: Int? = nil) -> String {
    "HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\nContent-Length: \(length ?? body.utf8.count)\r\n\r\n\(body)"
}

/// An answer without type and body; `headers` end with a line end each.
func empty(_ status: Int, _ headers: String = "") -> String {
    let length = status == 204 || status == 304 ? "" : "Content-Length: 0\r\n"
    return "HTTP/1.1 \(status) Such Is Life\r\n\(headers)\(length)\r\n"
}

/// A page whose body is said to be compressed.
func gzipped(_ body: [UInt8]) -> [UInt8] {
    let head =
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\nContent-Length: \(body.count)\r\n\r\n"
    return Array(head.utf8) + body
}

/// 400,000 spaces in 424 bytes.
let bomb: [UInt8] = {
    let base64 = "H4sIAAAAAAACA+3BMQEAAADCoCrrn9IUfkAB" + String(repeating: "A", count: 514) + "DA3wB0C1+8gBoGAA=="
    return Array(Data(base64Encoded: base64) ?? Data())
}()
