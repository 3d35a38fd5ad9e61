import MobiusEngine

/// What clients want to see of all effects: one look after the other, each a slice at a time, so that no number of clients
/// and of effects keeps the driver's thread from its work.
struct SurveyDesk {
    /// How many effects are looked at before other work is done.
    static let slice = 4096
    /// How many times as long as a slice took other work has before the next.
    static let share = 4

    private struct Look {
        var survey: EffectSurvey
        var askers: [RequestID]
    }

    /// Those that wait, the first of which may be under way.
    private var looks: [Look] = []
    private var resumes = Moment(nanoseconds: 0)

    /// When there is something to do; `nil` for never.
    var nextSlice: Moment? { looks.isEmpty ? nil : resumes }

    /// Takes a wish in; equal wishes share one look that has not begun.
    mutating func ask(_ wish: EffectSurvey.Wish, _ id: RequestID) {
        if let place = looks.firstIndex(where: { $0.survey.wish == wish && $0.survey.rows == 0 }) {
            looks[place].askers.append(id)
        } else {
            looks.append(Look(survey: EffectSurvey(wish), askers: [id]))
        }
    }

    /// Looks at a slice, if it is time for one; answers with what is found by it.
    mutating func look(
        _ machine: borrowing CoordinatorMachine, clock: () -> Moment
    ) -> (survey: EffectSurvey, askers: [RequestID])? {
        let start = clock()
        guard !looks.isEmpty, resumes <= start else { return nil }
        machine.look(&looks[0].survey, rows: Self.slice)
        let end = clock()
        resumes = end
        for _ in 0..<Self.share { resumes = resumes + (end - start) }
        guard looks[0].survey.isDone else { return nil }
        let found = looks.removeFirst()
        return (found.survey, found.askers)
    }
}
