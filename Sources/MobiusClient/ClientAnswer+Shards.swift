package import MobiusWire

extension ClientAnswer {
    /// Joins the answers of a cluster's shards to one request about all loops.
    ///
    /// Of lists it has the first elements over all shards in their order, as far as every shard has said what it has there: so
    /// the next page, behind the last one, misses nothing and repeats nothing. A shard's answer of another kind is the answer.
    package init(ofAll answers: [ClientAnswer], to request: ClientRequest) {
        precondition(!answers.isEmpty, "A cluster has a shard.")
        if let other = answers.first(where: { $0.command != answers[0].command || $0.command == .refused }) {
            self = other
            return
        }
        switch (answers[0], request) {
        case (.status, _): self = .status(FleetStatus(ofAll: answers.compactMap(\.status)))
        case (.effects, .effects(_, _, _, let limit)):
            let (list, more) = Self.merged(answers.compactMap(\.effectPage), limit) { $0.id < $1.id }
            self = .effects(list, more: more)
        case (.letters, .letters(_, _, _, let limit)):
            let (list, more) = Self.merged(answers.compactMap(\.letterPage), limit) { $0.id < $1.id }
            self = .letters(list, more: more)
        case (.quarantine, .quarantine(_, _, let limit)):
            let (list, more) = Self.merged(answers.compactMap(\.quarantinePage), limit) { $0.loop.name < $1.loop.name }
            self = .quarantine(list, more: more)
        case (.loops, .loops(_, _, _, let limit)): self = Self.loops(answers, limit)
        case (.found, .find(let query)): self = Self.found(answers, query)
        case (.done, _):
            self = .done(repeated: answers.allSatisfy { if case .done(let done) = $0 { done.repeated } else { false } })
        default: self = answers[0]
        }
    }

    private static func merged<Element>(
        _ pages: [([Element], more: Bool)], _ limit: UInt32, by isBefore: (Element, Element) -> Bool
    ) -> ([Element], more: Bool) {
        var all = pages.flatMap(\.0).sorted(by: isBefore)
        let count = all.count
        // Behind the last one of a shard that has more, it may have others.
        for case (let page, true) in pages {
            guard let last = page.last else { continue }
            all.removeAll { isBefore(last, $0) }
        }
        all = Array(all.prefix(Self.page(limit)))
        return (all, all.count < count || pages.contains { $0.more })
    }

    private static func loops(_ answers: [ClientAnswer], _ limit: UInt32) -> ClientAnswer {
        var all: [LoopSummary] = []
        var next: LoopID?
        for case .loops(let page, let end) in answers {
            all += page
            if let end { next = next.map { $0.precedes(end) ? $0 : end } ?? end }
        }
        all.sort { $0.loop.precedes($1.loop) }
        if let next { all.removeAll { next.precedes($0.loop) } }
        guard all.count > Self.page(limit) else { return .loops(all, next: next) }
        all = Array(all.prefix(Self.page(limit)))
        return .loops(all, next: all.last?.loop)
    }

    private static func found(_ answers: [ClientAnswer], _ query: FactListing) -> ClientAnswer {
        let descending = query.sort.flatMap { try? FactSort($0) }?.descending ?? false
        let isBefore: (FactPlace, FactPlace) -> Bool = { descending ? $1 < $0 : $0 < $1 }
        var all: [(place: FactPlace, loop: LoopSummary)] = []
        var (next, isComplete): (FactPlace?, Bool) = (nil, true)
        for case .found(let page) in answers {
            all += zip(page.places, page.loops).map { ($0, $1) }
            if let end = page.next { next = next.map { isBefore($0, end) ? $0 : end } ?? end }
            isComplete = isComplete && page.isComplete
        }
        all.sort { isBefore($0.place, $1.place) }
        if let next { all.removeAll { isBefore(next, $0.place) } }
        if all.count > Self.page(query.limit) {
            all = Array(all.prefix(Self.page(query.limit)))
            next = all.last?.place
        }
        return .found(
            FoundLoops(loops: all.map(\.loop), places: all.map(\.place), next: next, isComplete: isComplete))
    }

    private static func page(_ limit: UInt32) -> Int {
        limit == 0 ? Int(ClientRequest.maximumPage) : Int(min(limit, ClientRequest.maximumPage))
    }

    private var status: FleetStatus? { if case .status(let status) = self { status } else { nil } }

    private var effectPage: ([EffectSummary], more: Bool)? {
        if case .effects(let page, let more) = self { (page, more) } else { nil }
    }

    private var letterPage: ([DeadLetterSummary], more: Bool)? {
        if case .letters(let page, let more) = self { (page, more) } else { nil }
    }

    private var quarantinePage: ([QuarantineSummary], more: Bool)? {
        if case .quarantine(let page, let more) = self { (page, more) } else { nil }
    }
}

extension FleetStatus {
    /// The status of a cluster: the sums of its shards; what only one can be said of is of the first one.
    fileprivate init(ofAll parts: [FleetStatus]) {
        self = parts[0]
        for part in parts.dropFirst() {
            started = min(started, part.started)
            maximumPayload = min(maximumPayload, part.maximumPayload)
            pending.add(part.pending)
            letters.add(part.letters)
            loopCount.add(part.loopCount)
            loops += part.loops
            events = Self.sum(events, part.events)
            heldCount = Self.sum(heldCount, part.heldCount)
            for pool in part.pools { add(pool) }
            for worker in part.workers { add(worker) }
        }
        loops.sort { $0.isHeld != $1.isHeld ? $0.isHeld : $0.loop.precedes($1.loop) }
        loops = Array(loops.prefix(Int(ClientRequest.maximumPage)))
        pools.sort { $0.pool < $1.pool }
    }

    private mutating func add(_ pool: PoolStatus) {
        guard let place = pools.firstIndex(where: { $0.pool == pool.pool }) else { return pools.append(pool) }
        // Workers serve all shards.
        pools[place].workers = max(pools[place].workers, pool.workers)
        pools[place].waiting.add(pool.waiting)
        pools[place].running.add(pool.running)
        pools[place].credit.add(pool.credit)
        pools[place].oldest = Self.greatest(pools[place].oldest, pool.oldest)
        pools[place].ready = Self.sum(pools[place].ready, pool.ready)
        pools[place].oldestReady = Self.greatest(pools[place].oldestReady, pool.oldestReady)
        // Where some still run it, it is not paused yet, or not any more.
        if pool.pause == nil { pools[place].pause = nil }
    }

    private mutating func add(_ worker: WorkerStatus) {
        guard let place = workers.firstIndex(where: { $0.incarnation == worker.incarnation }) else {
            return workers.append(worker)
        }
        workers[place].running.add(worker.running)
        workers[place].free.add(worker.free)
        workers[place].silence = min(workers[place].silence, worker.silence)
        workers[place].isDraining = workers[place].isDraining || worker.isDraining
    }

    private static func greatest(_ one: UInt64?, _ other: UInt64?) -> UInt64? { [one, other].compactMap(\.self).max() }

    /// Unknown when one of them is.
    private static func sum(_ one: UInt64?, _ other: UInt64?) -> UInt64? {
        guard var sum = one, let other else { return nil }
        sum.add(other)
        return sum
    }
}

extension UnsignedInteger where Self: FixedWidthInteger {
    /// Adds a number that a peer sent.
    fileprivate mutating func add(_ other: Self) { self = saturatingAdding(other) }
}
