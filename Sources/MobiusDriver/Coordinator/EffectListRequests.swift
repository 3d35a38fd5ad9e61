import MobiusEngine

/// Runs the clients' surveys of all effects, one after the other and one slice at a time.
///
/// Slices bound the share of the driver's thread that surveys take, for any number of clients and effects.
struct EffectListRequests {
    /// The number of effects per slice.
    static let slice = 4096
    /// The pause between two slices, as a multiple of the time that the last slice took.
    static let share = 4

    private struct PendingSurvey {
        var survey: EffectSurvey
        var requests: [RequestID]
    }

    /// The surveys that wait; the first one may have begun.
    private var pending: [PendingSurvey] = []
    private var resumes = Moment(nanoseconds: 0)

    /// The time at which the next slice is due; `nil` without surveys.
    var nextSlice: Moment? { pending.isEmpty ? nil : resumes }

    /// Adds a request; requests with equal wishes share a survey that has not begun.
    mutating func ask(_ query: EffectSurvey.Query, _ id: RequestID) {
        if let place = pending.firstIndex(where: { $0.survey.query == query && $0.survey.rows == 0 }) {
            pending[place].requests.append(id)
        } else {
            pending.append(PendingSurvey(survey: EffectSurvey(query), requests: [id]))
        }
    }

    /// Surveys a slice if one is due; returns the survey and its requests when it is complete.
    mutating func nextResult(
        _ machine: borrowing CoordinatorMachine, clock: () -> Moment
    ) -> (survey: EffectSurvey, requests: [RequestID])? {
        let start = clock()
        guard !pending.isEmpty, resumes <= start else { return nil }
        machine.look(&pending[0].survey, rows: Self.slice)
        let end = clock()
        resumes = end
        for _ in 0..<Self.share { resumes = resumes + (end - start) }
        guard pending[0].survey.isDone else { return nil }
        let found = pending.removeFirst()
        return (found.survey, found.requests)
    }
}
