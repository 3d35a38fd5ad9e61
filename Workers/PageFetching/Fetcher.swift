import AsyncHTTPClient
package import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPCompression
package import SiteAudit

/// Makes the requests that the audit asks for: one per process, any number of requests at once.
///
/// Redirects are not followed and cookies not kept. TLS certificates are verified. A host that is asked over TLS is spoken
/// HTTP/2 with when it can. Call ``shutdown()`` in the end.
package struct Fetcher: Sendable {
    private let client: HTTPClient
    private let limits: FetchLimits
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
        // A refused connection is an answer: it is not tried again until the time limit.
        configuration.connectionPool.retryConnectionEstablishment = false
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    /// Closes all connections; requests under way fail.
    package func shutdown() async {
        do { try await client.shutdown() } catch {
            logger.debug("closing the HTTP client failed", metadata: ["error": "\(error)"])
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
            return .answered(try await Deadline.run(for: limit) { try await answer(to: request) })
        } catch {
            logger.debug("request failed", metadata: ["url": "\(request.url)", "error": "\(error)"])
            return .failed(FetchFailure(error))
        }
    }

    private func answer(to request: FetchRequest) async throws -> FetchAnswer {
        switch request.purpose {
        case .check:
            let answer = try await exchange(.HEAD, request, reading: .nothing)
            guard Self.headRefusals.contains(answer.status) else { return answer }
            return try await exchange(.GET, request, reading: .nothing)
        case .page:
            return try await exchange(.GET, request, reading: .page)
        case .robots:
            return try await exchange(.GET, request, reading: .robots)
        }
    }

    /// What servers say to HEAD although GET works; a 404 is only believed when GET says it too.
    private static let headRefusals: Set<Int> = [400, 403, 404, 405, 501]
}

// MARK: - One exchange

extension Fetcher {
    private enum Reading {
        case nothing, page, robots
    }

    private func exchange(_ method: HTTPMethod, _ request: FetchRequest, reading: Reading) async throws -> FetchAnswer {
        let response = try await respond(method, request.url, compressed: reading != .nothing)
        let mediaType = response.headers.first(name: "content-type").flatMap(MediaType.init(header:))
        let status = Int(response.status.code)
        var answer = FetchAnswer(status: status, contentType: mediaType?.essence)
        if Self.redirects.contains(status), let location = response.headers.first(name: "location") {
            answer.location = Addresses.redirect(location, from: request.url)
        }
        switch reading {
        case .page where (200...299).contains(status) && mediaType?.isHTML == true:
            let body = try await BodyReader.all(of: response, limit: limits.pageBytes)
            answer.page = body.withUnsafeReadableBytes {
                PageExtractor.page($0, charset: mediaType?.charset, url: request.url)
            }
        case .robots where (200...299).contains(status):
            let body = try await BodyReader.beginning(of: response, limit: limits.robotsBytes)
            answer.text = String(decoding: body.readableBytesView, as: UTF8.self)
        default:
            await BodyReader.discard(response, method: method, limit: limits.drainedBytes)
        }
        return answer
    }

    private static let redirects: Set<Int> = [301, 302, 303, 307, 308]

    private func respond(_ method: HTTPMethod, _ url: String, compressed: Bool) async throws -> HTTPClientResponse {
        guard url.hasPrefix("http://") || url.hasPrefix("https://") else { throw HTTPClientError.invalidURL }
        var request = HTTPClientRequest(url: url)
        request.method = method
        request.headers.add(name: "user-agent", value: Self.userAgent)
        request.headers.add(name: "accept", value: "text/html,application/xhtml+xml,*/*;q=0.8")
        // The length of a body that nobody reads needs no compressing; otherwise the client names what it can inflate.
        if compressed == false { request.headers.add(name: "accept-encoding", value: "identity") }
        do {
            return try await client.execute(request, deadline: .distantFuture)
        } catch let error as HTTPClientError where error == .remoteConnectionClosed {
            // A kept connection may have been closed under our hands. A second try is on a fresh one, more often than not.
            return try await client.execute(request, deadline: .distantFuture)
        }
    }
}
