import MobiusJournal
public import MobiusWire

// The status of a running coordinator for operators.
extension CoordinatorMachine {
    /// Whether an effect has not ended.
    public func isUnderWay(_ id: EffectID) -> Bool { effects[id] != nil }

    /// The first `limit` pending effects after `after`, of one loop and pool or of all, in the order of their ids; and
    /// whether there are more.
    public func statuses(
        of loop: LoopID?, pool: String? = nil, after: EffectID?, limit: Int, at now: Moment
    ) -> (effects: [EffectSummary], more: Bool) {
        let limit = min(max(0, limit), Int(ClientRequest.maximumPage))
        var survey = EffectSurvey(.page(loop: loop, pool: pool, after: after, limit: limit))
        while !survey.isDone { look(&survey, rows: .max) }
        return page(of: survey, at: now)
    }

    /// Adds the machine's part of a status: loops, pools, workers, and the number of pending effects.
    ///
    /// The host adds held loops before, of which the machine has only the names. It visits every effect.
    public func fill(_ status: inout FleetStatus, at now: Moment) {
        var survey = EffectSurvey(.status)
        while !survey.isDone { look(&survey, rows: .max) }
        fill(&status, from: survey, at: now)
    }

    /// The same, with the result of a survey.
    package func fill(_ status: inout FleetStatus, from survey: EffectSurvey, at now: Moment) {
        let (pending, loads) = (survey.pending, survey.loads)
        let page = Int(ClientRequest.maximumPage)
        residency.fill(&status, pending: pending, page: page)
        status.pending = status.pending.saturatingAdding(UInt64(effects.count))
        let time = calendar.time(at: now)
        // A pool without workers whose effects all pause has no queue.
        let others = Set(loads.keys).union(dispatcher.paused.keys).filter { dispatcher[$0] == nil }.sorted()
        status.pools = (dispatcher.names + others).prefix(page).map {
            poolStatus($0, loads[$0] ?? PoolLoad(), time: time)
        }
        status.workers = roster.all.prefix(page).map { $0.status(at: now) }
    }

    func poolStatus(_ name: String, _ load: PoolLoad, time: WallTime) -> PoolStatus {
        let serving = dispatcher[name]?.workers ?? []
        func age(_ asked: WallTime) -> UInt64 { time.milliseconds(since: asked) }
        // Nothing would start there, whatever room workers had.
        let pause = dispatcher.paused[name]
        return PoolStatus(
            pool: name, workers: UInt32(clamping: serving.count), waiting: load.waiting, running: load.running,
            credit: serving.reduce(0) { $0.saturatingAdding(roster[$1]?.free ?? 0) },
            oldest: load.oldest.map(age), ready: pause == nil ? load.ready : 0,
            oldestReady: pause == nil ? load.oldestReady.map(age) : nil, pause: pause)
    }
}

struct PoolLoad {
    var waiting: UInt64 = 0
    var running: UInt64 = 0
    var oldest: WallTime?
    var ready: UInt64 = 0
    var oldestReady: WallTime?

    mutating func add(_ effect: EffectState) {
        if effect.isAtWorker { running += 1 } else { waiting += 1 }
        if effect.asked.milliseconds < oldest?.milliseconds ?? .max { oldest = effect.asked }
        guard effect.phase == .queued else { return }
        ready += 1
        if effect.asked.milliseconds < oldestReady?.milliseconds ?? .max { oldestReady = effect.asked }
    }
}

extension WorkerState {
    fileprivate func status(at now: Moment) -> WorkerStatus {
        let (seconds, attoseconds) = (now - lastHeard).components
        return WorkerStatus(
            incarnation: incarnation, pools: pools, build: build, running: UInt32(clamping: holding.count),
            free: UInt32(clamping: free),
            silence: UInt64(max(0, seconds * 1000 + attoseconds / 1_000_000_000_000_000)), isDraining: draining,
            name: name)
    }
}

extension EffectState {
    func status(_ id: EffectID, time: WallTime) -> EffectSummary {
        var status = EffectSummary(
            id: id, kind: effect.kind, size: UInt32(clamping: effect.bytes.count), pool: pool, phase: .waiting,
            age: time.milliseconds(since: asked), failures: UInt32(clamping: failures),
            due: extra.next ?? extra.due, name: effect.caseName ?? "")
        switch phase {
        case .committing, .adoptable, .queued, .starting, .dormant, .addressed, .ending: break
        case .delayed, .failing: status.phase = .pausing
        case .waiting: status.phase = .timer
        case .local(let attempt):
            status.phase = .running
            status.attempt = attempt
        case .running(let attempt, let worker):
            status.phase = .running
            status.attempt = attempt
            status.worker = worker
        }
        return status
    }
}
