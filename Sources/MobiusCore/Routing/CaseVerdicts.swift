import Synchronization

/// Remembers which `routeCase` routes take which case, by the case's tag.
///
/// It may be used from any thread.
final class CaseVerdicts: Sendable {
    /// Which routes take a case.
    enum Verdict: Sendable {
        case none
        case one(index: Int, RecognisedCase)
        case many([Int])
    }

    /// By tag; `nil` where no effect of that case has been seen.
    private let verdicts: Lock<[Verdict?]>

    init(cases: Int) {
        verdicts = Lock(Array(repeating: nil, count: cases))
    }

    /// The verdict on a case; the first time it comes from `learn`, which is called without a lock held.
    ///
    /// Threads that come for the same case together may all learn it; they learn the same.
    func verdict(on tag: Int, learn: () -> [(index: Int, RecognisedCase)]) -> Verdict {
        if let known = verdicts.withLock({ $0[tag] }) { return known }
        let takers = learn()
        let verdict: Verdict =
            switch takers.count {
            case 0: .none
            case 1: .one(index: takers[0].index, takers[0].1)
            default: .many(takers.map(\.index))
            }
        verdicts.withLock { $0[tag] = verdict }
        return verdict
    }
}
