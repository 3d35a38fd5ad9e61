import CLibCurl
import SiteAudit

/// One request and its answer.
extension Fetcher {
    /// Asks by GET, and once more for the body as it is where libcurl cannot undo its coding.
    func get(
        _ asked: Asked, reading: Transfer.Reading, by end: ContinuousClock.Instant
    ) async throws(TransferFailure) -> FetchAnswer {
        var request = request(asked, reading: reading)
        let transfer = try await exchange(request, by: end)
        guard transfer.isUnreadable else { return answer(of: transfer, to: asked) }
        request.coding = .asSent
        return answer(of: try await exchange(request, by: end), to: asked)
    }

    func request(_ asked: Asked, isHead: Bool = false, reading: Transfer.Reading = .nothing) -> Transfer.Request {
        Transfer.Request(
            url: asked.url, isHead: isHead, reading: reading, coding: reading == .nothing ? .asSent : .decoded,
            credentials: asked.credentials, cookies: asked.cookies, trust: trust)
    }

    /// Runs a transfer, and once more on a fresh connection where that may help.
    func exchange(
        _ request: Transfer.Request, by end: ContinuousClock.Instant
    ) async throws(TransferFailure) -> Transfer {
        var request = request
        while true {
            request.timeout = ContinuousClock.now.duration(to: end)
            guard request.timeout > .zero else { throw TransferFailure(code: CURLE_OPERATION_TIMEDOUT) }
            let transfer = Transfer(request, limits: limits)
            await loop.run(transfer)
            guard let failure = transfer.failure, transfer.isUnreadable == false else { return transfer }
            guard failure.mayBeTheConnections, request.isOnFreshConnection == false else { throw failure }
            request.isOnFreshConnection = true
        }
    }

    /// Returns the content of an answer; it is parsed here, in the task of its request.
    func answer(of transfer: Transfer, to asked: Asked) -> FetchAnswer {
        let head = transfer.head
        var answer = FetchAnswer(status: head.status)
        answer.location = head.location.flatMap { location in
            location.withUnsafeBytes { Addresses.redirect($0, from: asked.url) }
        }
        answer.retryAfter = head.retryAfter
        if let cookies = transfer.cookies, Set(cookies) != Set(asked.cookies) { answer.cookies = cookies }
        let (body, unread) = transfer.readableBody
        body.withUnsafeBytes { bytes in
            let type = head.mediaType(beginning: bytes)
            answer.contentType = type?.essence
            guard transfer.wantsBody else { return }
            let isRobots = transfer.request.reading == .robots
            if isRobots || type?.isHTML ?? true { answer.unread = unread }
            if isRobots, unread == nil {
                answer.text = String(decoding: bytes.prefix(limits.robotsBytes), as: UTF8.self)
            } else if let type, type.isHTML, unread == nil {
                answer.page = PageExtractor.page(bytes, charset: type.charset, url: asked.url)
            }
        }
        return answer
    }
}
