package import MobiusWire

/// A traversal of all pending effects in bounded steps, so that the cost per call does not grow with their number.
package struct EffectSurvey: Sendable {
    /// The kind of survey.
    package enum Query: Equatable, Sendable {
        /// The number of pending effects, by loop and by pool.
        case status
        /// The first `limit` effects after `after`, of one loop and pool or of all, in the order of their ids.
        case page(loop: LoopID?, pool: String?, after: EffectID?, limit: Int)
        /// The first effects of a loop, which are to say what it waits for.
        case waits(of: LoopID)

        /// The bounds of a list of effects; `nil` for another survey.
        fileprivate var list: (loop: LoopID?, pool: String?, after: EffectID?, limit: Int)? {
            switch self {
            case .status: nil
            case .page(let loop, let pool, let after, let limit): (loop, pool, after, limit)
            case .waits(let loop): (loop, nil, nil, Int(ClientRequest.maximumPage))
            }
        }
    }

    /// The kind of survey.
    package let query: Query
    /// The place at which to continue; `nil` at the end.
    private var place: Int? = 0
    /// The number of visited places.
    package private(set) var rows = 0
    var pending: [LoopID: UInt64] = [:]
    var loads: [String: PoolLoad] = [:]
    private var ids: [EffectID] = []
    private var last: EffectID?

    /// Begins a survey.
    package init(_ query: Query) {
        self.query = query
    }

    /// Whether a page has no effect.
    package var isEmpty: Bool { ids.isEmpty }

    /// Whether all effects were visited.
    package var isDone: Bool { place == nil }

    /// Visits up to `count` more effects.
    mutating func look(at effects: SlotTable<EffectID, EffectState>, rows count: Int) {
        guard let from = place else { return }
        rows = rows.addingReportingOverflow(count).partialValue
        guard let list = query.list else {
            place = effects.look(from: from, rows: count) { id, effect in add(id, effect) }
            return
        }
        place = effects.look(from: from, rows: count) { id, effect in
            if let loop = list.loop, id.loop != loop { return }
            if let pool = list.pool, effect.pool != pool { return }
            if let after = list.after, !(after < id) { return }
            add(id, list.limit)
        }
    }

    private mutating func add(_ id: EffectID, _ effect: borrowing EffectState) {
        pending[id.loop, default: 0] += 1
        if let pool = effect.pool { loads[pool, default: PoolLoad()].add(copy effect) }
    }

    private mutating func add(_ id: EffectID, _ limit: Int) {
        if let last, last < id { return }
        ids.append(id)
        // Avoids sorting a million ids for one page.
        guard ids.count > 2 * limit + 64 else { return }
        ids.sort()
        ids.removeLast(ids.count - limit - 1)
        last = ids.last
    }

    /// The ids of the page, and whether there are more.
    var page: (ids: ArraySlice<EffectID>, more: Bool) {
        guard let limit = query.list?.limit else { return ([], false) }
        return (ids.sorted().prefix(limit), ids.count > limit)
    }
}

extension CoordinatorMachine {
    /// Visits up to `rows` more effects.
    package func look(_ survey: inout EffectSurvey, rows: Int) { survey.look(at: effects, rows: rows) }

    /// The page of a survey, without effects that have ended meanwhile.
    package func page(of survey: EffectSurvey, at now: Moment) -> (effects: [EffectSummary], more: Bool) {
        let (ids, more) = survey.page
        return (ids.compactMap { id in effects[id].map { summary(of: id, $0, at: now) } }, more)
    }
}
