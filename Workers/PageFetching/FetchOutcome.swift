package import SiteAudit

/// The outcome of one request.
package enum FetchOutcome: Sendable, Equatable {
    /// A server answered, whatever its status.
    case answered(FetchAnswer)
    /// There was no answer that could be used.
    case failed(FetchFailure)
}
