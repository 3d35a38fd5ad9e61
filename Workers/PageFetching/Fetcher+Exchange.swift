import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import SiteAudit

/// One request and its answer.
extension Fetcher {
    enum Reading {
        case nothing, page, robots
    }

    /// Asks, and asks once more without compression when a body that is wanted comes in a form that cannot be read.
    ///
    /// If that cannot be read either, the status is all that is known.
    func exchange(_ method: HTTPMethod, _ request: FetchRequest, reading: Reading) async throws -> FetchAnswer {
        guard reading != .nothing else { return try await answer(method, request, reading: reading, compressed: false) }
        do {
            return try await answer(method, request, reading: reading, compressed: true)
        } catch let error where ContentCoding.isUnreadable(error) {
            var status: FetchAnswer?
            do {
                return try await answer(method, request, reading: reading, compressed: false) { status = $0 }
            } catch let error where ContentCoding.isUnreadable(error) {
                guard let status else { throw error }
                return status
            }
        }
    }

    /// - Parameter noting: Is told what the head of the answer says, before its body is read.
    private func answer(
        _ method: HTTPMethod, _ request: FetchRequest, reading: Reading, compressed: Bool,
        noting: (FetchAnswer) -> Void = { _ in }
    ) async throws -> FetchAnswer {
        let asked = try Asked(request)
        let response = try await respond(asked.request(method, compressed: compressed))
        let mediaType = response.headers.first(name: "content-type").flatMap(MediaType.init(header:))
        let status = Int(response.status.code)
        var answer = FetchAnswer(status: status, contentType: mediaType?.essence)
        if Self.redirects.contains(status), let location = response.headers.first(name: "location") {
            answer.location = Addresses.redirect(location, from: asked.url)
        }
        if status >= 400 { answer.retryAfter = response.headers.first(name: "retry-after").flatMap(RetryAfter.seconds) }
        noting(answer)
        switch reading {
        case .page where (200...299).contains(status) && mediaType?.isHTML == true:
            try ContentCoding.check(response.headers)
            let body = try await BodyReader.all(of: response, limit: limits.pageBytes)
            answer.page = body.withUnsafeReadableBytes {
                PageExtractor.page($0, charset: mediaType?.charset, url: asked.url)
            }
        case .robots where (200...299).contains(status):
            try ContentCoding.check(response.headers)
            let body = try await BodyReader.beginning(of: response, limit: limits.robotsBytes)
            answer.text = String(decoding: body.readableBytesView, as: UTF8.self)
        default:
            await BodyReader.discard(response, method: method, limit: limits.drainedBytes)
        }
        return answer
    }

    private static let redirects: Set<Int> = [301, 302, 303, 307, 308]

    /// The head of the answer; a request whose connection failed before it is made again on a fresh one.
    private func respond(_ request: HTTPClientRequest) async throws -> HTTPClientResponse {
        do {
            return try await client.execute(request, deadline: .distantFuture)
        } catch let error where FetchFailure.mayBeTheConnections(error) {
            var again = request
            again.headers.replaceOrAdd(name: "connection", value: "close")
            return try await freshClient.execute(again, deadline: .distantFuture)
        }
    }
}

/// What is asked for, without the secrets that its URL may hold.
private struct Asked {
    /// Without user and password.
    let url: String
    private let credentials: String?

    init(_ request: FetchRequest) throws {
        guard request.url.hasPrefix("http://") || request.url.hasPrefix("https://") else {
            throw HTTPClientError.invalidURL
        }
        guard let url = WebURL(request.url), let written = url.credentials else {
            url = request.url
            credentials = request.credentials
            return
        }
        self.url = url.withoutCredentials.text
        credentials = written
    }

    func request(_ method: HTTPMethod, compressed: Bool) -> HTTPClientRequest {
        var request = HTTPClientRequest(url: url)
        request.method = method
        request.headers.add(name: "user-agent", value: Fetcher.userAgent)
        request.headers.add(name: "accept", value: "text/html,application/xhtml+xml,*/*;q=0.8")
        // The length of a body that nobody reads needs no compressing; otherwise the client names what it can inflate.
        if compressed == false { request.headers.add(name: "accept-encoding", value: "identity") }
        if let credentials { request.headers.add(name: "authorization", value: BasicAuthorization.value(credentials)) }
        return request
    }
}
