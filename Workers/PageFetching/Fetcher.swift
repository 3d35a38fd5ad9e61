import AsyncHTTPClient
package import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPCompression
package import SiteAudit

/// Makes the requests that the audit asks for: one per process, any number of requests at once.
///
/// Redirects are not followed and cookies not kept. TLS certificates are verified. A host that is asked over TLS is spoken
/// HTTP/2 with when it can. A request that fails before its answer began is made once more, on a connection that no other
/// request has used: servers close idle connections when they like. Call ``shutdown()`` in the end.
package struct Fetcher: Sendable {
    let client: HTTPClient
    /// Uses each of its connections for one request.
    let freshClient: HTTPClient
    let limits: FetchLimits
    private let logger: Logger

    /// How long an answer may be on its way to whoever waits for it.
    package static let wayBack = Duration.milliseconds(500)

    /// What servers are told about who asks.
    package static let userAgent = "site-audit/1 (+Mobius Fleet)"

    /// Makes a fetcher; nothing is connected yet.
    package init(limits: FetchLimits = FetchLimits(), logger: Logger = Logger(label: "page-fetcher")) {
        self.limits = limits
        self.logger = logger
        var configuration = HTTPClient.Configuration()
        configuration.redirectConfiguration = .disallow
        // Each request has a limit of its own for all of it: this one only ends attempts that nobody waits for any more.
        configuration.timeout = .init(connect: .seconds(60), read: nil)
        configuration.decompression = .enabled(limit: .ratio(limits.inflation))
        // How many requests run at once is the coordinator's decision: this only must not be in its way.
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 256
        configuration.connectionPool.idleTimeout = .seconds(15)
        // A refused connection is an answer: when it is tried again is the audit's decision.
        configuration.connectionPool.retryConnectionEstablishment = false
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        // HTTP/2 would share connections among requests; here `Connection: close` ends each after one.
        configuration.httpVersion = .http1Only
        freshClient = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    /// Closes all connections; requests under way fail.
    package func shutdown() async {
        for client in [client, freshClient] {
            do { try await client.shutdown() } catch {
                logger.debug("closing the HTTP client failed", metadata: ["error": "\(error)"])
            }
        }
    }

    /// Makes one request.
    ///
    /// Returns within the request's own time limit, or that of ``FetchLimits`` when it has none, and at once when the task
    /// is cancelled; in any case early enough that whoever waits until `deadline` still hears it.
    package func fetch(_ request: FetchRequest, by deadline: ContinuousClock.Instant? = nil) async -> FetchOutcome {
        let own = request.timeLimit.map { Duration.milliseconds(min(max(1, $0), 3_600_000)) } ?? limits.timeout
        // An answer after its time is thrown away, a failure of our own in time is news.
        let left = deadline.map { max(.milliseconds(1), ContinuousClock.now.duration(to: $0) - Self.wayBack) }
        let limit = left.map { min(own, $0) } ?? own
        do {
            return .answered(try await Deadline.run(for: limit) { try await answer(to: request, within: limit) })
        } catch {
            let url = WebURL.withoutSecrets(request.url)
            logger.debug("request failed", metadata: ["url": "\(url)", "error": "\(error)"])
            return .failed(FetchFailure(error))
        }
    }

    private func answer(to request: FetchRequest, within limit: Duration) async throws -> FetchAnswer {
        switch request.purpose {
        case .check:
            if let answer = try await believedHead(of: request, within: limit / 2) { return answer }
            return try await exchange(.GET, request, reading: .nothing)
        case .page:
            return try await exchange(.GET, request, reading: .page)
        case .robots:
            return try await exchange(.GET, request, reading: .robots)
        }
    }

    /// The answer to HEAD; `nil` when GET may be answered better.
    private func believedHead(of request: FetchRequest, within limit: Duration) async throws -> FetchAnswer? {
        do {
            let answer = try await Deadline.run(for: limit) { try await exchange(.HEAD, request, reading: .nothing) }
            return answer.status < 400 || Self.believedErrors.contains(answer.status) ? answer : nil
        } catch let error where FetchFailure.isOfThisExchange(error) {
            // Some servers send a body all the same, break the connection off, or never answer.
            return nil
        }
    }

    /// What is believed when HEAD is answered so: many servers refuse or fail at HEAD where GET works.
    private static let believedErrors: Set<Int> = [410, 429]
}
