import CLibCurl
import Foundation
package import Logging
package import SiteAudit

/// Makes the requests that the audit asks for: one per process, any number of requests at once.
///
/// TLS certificates are verified. A host that is asked over TLS is spoken HTTP/2 with when it can. Proxies are those of the
/// environment (`http_proxy`, `https_proxy`, `all_proxy`, `no_proxy`). A request that fails on a used connection before its
/// answer began is made once more, on a fresh one: servers close idle connections when they like. Call ``shutdown()`` in the
/// end.
package struct Fetcher: Sendable {
    let loop = TransferLoop()
    let limits: FetchLimits
    let trust: Trust
    private let logger: Logger

    /// The time that an answer may take to reach the task that waits for it.
    package static let wayBack = Duration.milliseconds(500)
    /// The most redirects that a visit follows.
    static let mostRedirects = 10

    /// Makes a fetcher; nothing is connected yet.
    package init(
        limits: FetchLimits = FetchLimits(), trust: Trust = Trust(environment: ProcessInfo.processInfo.environment),
        logger: Logger = Logger(label: "page-fetcher")
    ) {
        self.limits = limits
        self.trust = trust
        self.logger = logger
    }

    /// Closes all connections; requests under way fail.
    package func shutdown() async { await loop.shutdown() }

    /// Makes one request.
    ///
    /// Returns within the request's own time limit, or that of ``FetchLimits`` when it has none, and at once when the task
    /// is cancelled; in any case early enough that whoever waits until `deadline` still hears it.
    package func fetch(_ request: FetchRequest, by deadline: ContinuousClock.Instant? = nil) async -> FetchOutcome {
        let own = request.timeLimit.map { Duration.milliseconds(min(max(1, $0), 3_600_000)) } ?? limits.timeout
        var end = ContinuousClock.now + own
        // An answer after its time is thrown away, a failure of our own in time is news.
        if let deadline { end = min(end, deadline - Self.wayBack) }
        do throws(TransferFailure) {
            return .answered(try await answer(to: request, by: max(end, .now + .milliseconds(1))))
        } catch {
            let url = WebURL.withoutSecrets(request.url)
            logger.debug("request failed", metadata: ["url": "\(url)", "error": "\(error.code) \(error.message)"])
            return .failed(error.failure)
        }
    }

    private func answer(
        to request: FetchRequest, by end: ContinuousClock.Instant
    ) async throws(TransferFailure) -> FetchAnswer {
        let asked = try Asked(request)
        switch request.purpose {
        case .page: return try await get(asked, reading: .page, by: end)
        case .robots: return try await get(asked, reading: .robots, by: end)
        case .visit: return try await visit(asked, by: end)
        case .check:
            if let answer = try await believedHead(of: asked, by: end) { return answer }
            return try await get(asked, reading: .nothing, by: end)
        }
    }

    /// The answer to HEAD; `nil` when GET may be answered better: many servers refuse or fail at HEAD, redirect it
    /// elsewhere, send a body all the same, break the connection off, or never answer.
    private func believedHead(
        of asked: Asked, by end: ContinuousClock.Instant
    ) async throws(TransferFailure) -> FetchAnswer? {
        do throws(TransferFailure) {
            let half = ContinuousClock.now + ContinuousClock.now.duration(to: end) / 2
            let transfer = try await exchange(request(asked, isHead: true), by: half)
            var answer = self.answer(of: transfer, to: asked)
            answer.isHead = true
            return (200...299).contains(answer.status) || [410, 429].contains(answer.status) ? answer : nil
        } catch {
            guard error.isOfThisExchange else { throw error }
            return nil
        }
    }

    /// Follows redirects as a browser does.
    ///
    /// Each hop is a request of its own, as libcurl resolves `Location` by other rules than the URL standard.
    private func visit(_ asked: Asked, by end: ContinuousClock.Instant) async throws(TransferFailure) -> FetchAnswer {
        var hop = asked
        var cookies: [String]?
        var redirects = 0
        while true {
            var answer = try await get(hop, reading: .page, by: end)
            cookies = answer.cookies ?? cookies
            answer.cookies = cookies
            if let target = answer.location, redirects < Self.mostRedirects {
                hop = try hop.redirected(to: target, cookies: cookies)
                redirects += 1
                continue
            }
            if answer.location == nil, hop.redirectedTo != asked.url { answer.location = hop.redirectedTo }
            return answer
        }
    }
}
