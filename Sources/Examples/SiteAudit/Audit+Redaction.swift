public import MobiusCore

/// People see neither the user and password of the start nor cookies.
extension Audit: RedactingProgram {
    private static let mask = "***"

    /// The model without them.
    public static func redact(_ model: Model) -> Model {
        var model = model
        model.request = model.request?.redacted
        model.identity.credentials = model.identity.credentials.map { _ in mask }
        model.identity.cookies = model.identity.cookies.mapValues { $0.map { _ in mask } }
        return model
    }

    /// The event without them.
    public static func redact(_ event: Event) -> Event {
        switch event {
        case .auditRequested(let request): return .auditRequested(request.redacted)
        case .fetched(let request, var answer):
            answer.cookies = answer.cookies?.map { _ in mask }
            return .fetched(redact(request), answer)
        case .fetchedPart(let request, let part): return .fetchedPart(redact(request), part)
        case .fetchFailed(let request, let failure): return .fetchFailed(redact(request), failure)
        case .waited, .reportWritten, .reportFailed, .partWritten, .partsMissing, .outcomeSeen: return event
        }
    }

    /// The effect without them.
    public static func redact(_ effect: Effect) -> Effect {
        switch effect {
        case .fetch(let request): .fetch(redact(request))
        case .wait, .showProgress, .writePart, .assembleReport, .finish: effect
        }
    }

    private static func redact(_ request: FetchRequest) -> FetchRequest {
        var request = request
        request.credentials = request.credentials.map { _ in mask }
        request.cookies = request.cookies?.map { _ in mask }
        return request
    }
}

extension AuditRequest {
    fileprivate var redacted: AuditRequest {
        var request = self
        request.start = WebURL.withoutSecrets(start)
        return request
    }
}
