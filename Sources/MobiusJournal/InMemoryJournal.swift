import MobiusWire

/// The content of an ``InMemoryStore``; a value, so that a copy represents the journal at the next start.
struct InMemoryJournal {
    let limits: JournalLimits
    var history = InMemoryHistory()
    var loops: [LoopID: InMemoryLoop] = [:]
    /// In the order in which they began.
    var order: [LoopID] = []
    /// In the order of their ends.
    var ended: [EndedLoop] = []
    /// The number of a new loop's first event.
    var newLoops: UInt64 = 0
    var crashes = CrashList()
    var facts = InMemoryFacts()
    var pauses: [String: PoolPause] = [:]
    var isClosed = false

    init(limits: JournalLimits) {
        self.limits = limits
    }

    func requireOpen() {
        precondition(!isClosed, "This journal is closed: open it again to use it.")
    }

    /// Checked before anything is stored, so that a commit is atomic.
    func hasNewSources(_ records: [JournalRecord]) -> Bool {
        var sources: [LoopID: Set<SourceKey>] = [:]
        for case .event(let event) in records {
            if case .outside = event.source { continue }
            if event.source == .start, event.sequence > 0 { continue }
            if loops[event.loop]?.sources.contains(event.source) == true { return false }
            guard sources[event.loop, default: []].insert(event.source).inserted else { return false }
        }
        return true
    }

    mutating func append(_ record: JournalRecord, build: String) {
        let loop = record.loop
        if loops[loop] == nil { order.append(loop) }
        loops[loop, default: InMemoryLoop()].append(record, build: build, limits: limits)
        switch record {
        case .event(let event) where event.source == .start: ended.removeAll { $0.loop == loop }
        case .note(let effect, let note):
            if let end = EndedLoop(note, on: effect, at: loops[loop]?.last?.sequence ?? 0) { ended.append(end) }
        case .event: break
        }
    }

    /// In two parts, as stores on disk need several: first the records, then the rest.
    mutating func remove(ended loop: LoopID) -> Bool {
        guard let place = ended.firstIndex(where: { $0.loop == loop }) else { return true }
        guard ended[place].isRemoving else {
            ended[place].isRemoving = true
            loops[loop]?.dropRecords()
            return false
        }
        newLoops = max(newLoops, ended[place].sequence + 1)
        ended.removeAll { $0.loop == loop }
        loops[loop] = nil
        order.removeAll { $0 == loop }
        history.segments.removeAll { $0.loop == loop }
        crashes.all.removeAll { $0.breadcrumb.loop == loop }
        facts.loops[loop] = nil
        return true
    }

    mutating func keep(_ snapshot: Snapshot) {
        history.serial += 1
        let older = loops[snapshot.loop, default: InMemoryLoop()].keep(snapshot, serial: history.serial)
        guard let older else { return }
        switch history.kept {
        case .needed: loops[snapshot.loop]?.drop(before: older)
        case .window:
            let time = loops[snapshot.loop]?.newestTime ?? WallTime(milliseconds: .max)
            history.segments.append(.init(loop: snapshot.loop, end: older, time: time))
        case .all: break
        }
    }

    /// Drops the oldest segment of history if it is beyond the window.
    mutating func releaseHistory(at now: WallTime?) {
        history.now = now.map { max($0, history.now ?? $0) } ?? history.now
        guard case .window(let window) = history.kept, let segment = history.segments.first else { return }
        // Counted only here, where the number of loops is that of a test.
        let used = window.bytes == nil ? 0 : loops.values.reduce(0) { $0 + $1.bytes }
        guard window.releases(superseded: segment.time, now: history.now, used: Int64(used)) else { return }
        history.segments.removeFirst()
        loops[segment.loop]?.drop(before: segment.end)
    }

    mutating func park(_ idle: IdleLoop) {
        idle.requirePlace(loops[idle.loop]?.last)
        loops[idle.loop]?.idle = idle
    }

    func letters(of loop: LoopID?, after: EffectID?) -> [DeadLetter] {
        let all = loops.filter { loop == nil || loop == $0.key }.flatMap { $0.value.letters.values.map(\.letter) }
        let sorted = all.sorted { Self.precedes($0.id, $1.id) }
        guard let after else { return sorted }
        return sorted.filter { Self.precedes(after, $0.id) }
    }

    /// The order of a store on disk: names by their bytes.
    private static func precedes(_ lhs: EffectID, _ rhs: EffectID) -> Bool {
        if lhs.loop != rhs.loop { return lhs.loop.precedes(rhs.loop) }
        return lhs < rhs
    }
}

/// The kept history of an ``InMemoryStore``.
struct InMemoryHistory {
    /// All of a loop's records before a snapshot.
    struct Segment {
        let loop: LoopID
        /// The serial number of the snapshot.
        let end: Int
        /// The time at which it was superseded.
        let time: WallTime
    }

    var kept = KeptHistory.needed
    /// In the order in which they were superseded.
    var segments: [Segment] = []
    var serial = 0
    var now: WallTime?
}

/// The crashes of an ``InMemoryStore``.
struct CrashList {
    var all: [Crash] = []

    mutating func note(_ breadcrumb: Breadcrumb, build: String, epoch: UInt64, at time: WallTime) -> Int {
        guard let index = index(of: breadcrumb.source, breadcrumb.loop) else {
            all.append(Crash(breadcrumb: breadcrumb, count: 1, build: build, epoch: epoch, time: time))
            return 1
        }
        if all[index].epoch != epoch { all[index].count += 1 }
        all[index].breadcrumb = breadcrumb
        all[index].build = build
        all[index].epoch = epoch
        all[index].time = time
        return all[index].count
    }

    mutating func markDropped(_ source: SourceKey, of loop: LoopID) {
        guard let index = index(of: source, loop) else { return }
        all[index].isDropped = true
    }

    private func index(of source: SourceKey, _ loop: LoopID) -> Int? {
        all.firstIndex { $0.breadcrumb.loop == loop && $0.breadcrumb.source == source }
    }
}
