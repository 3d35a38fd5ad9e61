extension Audit.Model {
    /// Begins an audit, continues the same one, reports an outcome that was not delivered, or refuses.
    mutating func accept(_ asked: AuditRequest, _ effects: inout [Audit.Effect]) -> Bool {
        let asked = asked.bounded
        let isSame = request?.isSameAudit(as: asked) ?? false
        switch phase {
        case .idle:
            guard isSame, let outcome else { return begin(asked, &effects) }
            request?.id = asked.id
            effects.append(.finish(Finish(request: asked.id, outcome: outcome)))
        case .unwritten:
            // Another folder may solve the problem.
            guard var known = request else { return begin(asked, &effects) }
            known.reportDirectory = asked.reportDirectory
            guard known.isSameAudit(as: asked) else { return begin(asked, &effects) }
            known.id = asked.id
            known.payloadLimit = asked.payloadLimit
            request = known
            write(&effects)
        case .readingRobots, .opening, .crawling, .writing:
            guard isSame else {
                effects.append(.finish(Finish(request: asked.id, outcome: .refused(Sentence.unfinished(request)))))
                return false
            }
            request?.id = asked.id
            request?.payloadLimit = asked.payloadLimit
            effects.append(.showProgress(nextProgress()))
        }
        return true
    }

    private mutating func begin(_ asked: AuditRequest, _ effects: inout [Audit.Effect]) -> Bool {
        clear()
        request = asked
        outcome = nil
        guard let start = WebURL(asked.start) else {
            end(.unreachable(Sentence.noURL(asked.start)), &effects)
            return true
        }
        identity.credentials = start.credentials
        identity.credentialOrigin = start.credentials.map { _ in start.origin + "/" }
        open(start.withoutCredentials, &effects)
        return true
    }

    /// Reports the outcome and removes all temporary state.
    mutating func end(_ outcome: Outcome, _ effects: inout [Audit.Effect]) {
        clear()
        self.outcome = outcome
        effects.append(.finish(Finish(request: request?.id ?? "", outcome: outcome)))
    }

    private mutating func clear() {
        var fresh = Audit.Model()
        fresh.request = request
        fresh.tokens = tokens
        self = fresh
    }

    /// The caller has received the outcome: the same request again is a new audit.
    mutating func forgetOutcome(of id: String) -> Bool {
        guard phase == .idle, outcome != nil, request?.id == id else { return false }
        outcome = nil
        return true
    }
}

extension AuditRequest {
    /// The same with all numbers clamped to their ranges, because requests from outside are not validated.
    fileprivate var bounded: AuditRequest {
        var request = self
        // NaN cannot be encoded.
        if time.isFinite == false { request.time = 0 }
        request.maxPages = maxPages.map { min(max($0, 0), 1 << 40) }
        request.depth = depth.map { min(max($0, 0), 1 << 40) }
        request.concurrency = min(max(concurrency, 1), 1 << 20)
        request.perHost = min(max(perHost, 1), 1 << 20)
        request.delay = min(max(delay, 0), 86_400_000)
        request.timeLimit = timeLimit.map { min(max($0, 1), 86_400_000) }
        return request
    }
}
