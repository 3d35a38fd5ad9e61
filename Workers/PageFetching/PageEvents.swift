package import SiteAudit

/// The events that are sent to the audit for an answer.
package enum PageEvents {
    /// One event, or several when the answer's page is so large that it travels in parts; the answer is the last.
    ///
    /// - Parameter attempt: Tells these parts from those that another attempt sends.
    package static func events(
        _ request: FetchRequest, _ answer: FetchAnswer, by attempt: String, partBytes: Int = FetchedPage.partBytes
    ) -> [Audit.Event] {
        var parts = answer.page?.parts(of: partBytes) ?? []
        guard parts.count > 1, let last = parts.popLast() else { return [.fetched(request, answer)] }
        var end = answer
        end.page = last
        end.partsBefore = FetchAnswer.PartsBefore(attempt: attempt, count: parts.count)
        return parts.enumerated().map { number, part in
            .fetchedPart(request, PagePart(attempt: attempt, number: number, page: part))
        } + [.fetched(request, end)]
    }
}
