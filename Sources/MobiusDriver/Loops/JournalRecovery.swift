package import Logging
package import MobiusCore
package import MobiusEngine
package import MobiusJournal
import MobiusRuntime
import MobiusWire

/// Recovers the loops from a journal when a coordinator starts: all but those that are idle.
package struct JournalRecovery<Program: LoopProgram> {
    package private(set) var ready: [PreparedLoop<Program>] = []
    package private(set) var held: [HeldLoop] = []
    /// The loops that have ended, which are not replayed, and what they had sent and is not delivered.
    package private(set) var ended: [(end: EndedLoop, pending: [PlannedPending])] = []
    private(set) var crashes = CrashLedger()
    let trail: EventTrail?
    /// The number of dead letters in the journal.
    let letters: LetterCounts
    /// The loops that are not read, because they are idle.
    private(set) var idle: IdleTotals
    /// How many of them are of each kind.
    private var idleOfKinds: [Int]

    private let pauses: [String: PoolPause]
    /// The number with which new loops begin.
    private let newLoops: UInt64

    /// Reads the journal, which takes as long as replaying its events takes.
    ///
    /// The loop `main` always exists, unless there are several programs. A loop that cannot be recovered is held; the other
    /// loops are not affected.
    ///
    /// - Parameter hasMain: Whether the loop `main` is one of this journal's, and so always exists.
    /// - Throws: `JournalError`; ``CoordinatorError``.
    package init(
        _ store: any JournalStore, _ preparer: LoopRecovery<Program>, _ breadcrumbs: (any Breadcrumbs)?,
        limits: JournalLimits, hasMain: Bool = true
    ) throws {
        let logger = preparer.logger
        let hasMain = hasMain && preparer.calls.hasMain
        for trace in breadcrumbs?.traces ?? [] where trace.state == .trapped && trace.journal == store.identity {
            let crumb = trace.breadcrumb
            let count = try store.noteCrash(crumb, build: trace.build, epoch: trace.epoch, at: preparer.calendar())
            trace.log(count: count, to: logger)
        }
        breadcrumbs?.clear()
        crashes = CrashLedger(try store.crashes())
        trail = breadcrumbs.map { $0.trail(.running) }
        letters = try LetterCounts(of: store, limit: limits.deadLetters)
        var ids: [LoopID] = hasMain ? [.main] : []
        idle = try store.idleTotals()
        newLoops = try store.newLoops()
        pauses = try store.pausedPools()
        let active = try store.activeLoops()
        for id in active where !hasMain || id != .main { ids.append(id) }
        for id in crashes.loops.subtracting(ids).sorted(by: { $0.name < $1.name })
        where crashes.holding(id, after: nil) != nil {
            ids.append(id)  // it is idle, or trapped before its first event was in the journal
        }
        var ends: Set<LoopID> = []
        for end in try store.endedLoops() {
            // One that cannot begin again is held, unless it is being removed, with its crashes.
            guard end.isRemoving || crashes.holding(end.loop, after: end.sequence) == nil else { continue }
            ends.insert(end.loop)
            ended.append((end, try preparer.pending(of: end, from: store, trail)))
        }
        let known = Set(active)
        let kinds = preparer.calls.loopKinds
        idleOfKinds = idle.loops > 0 ? try store.idleLoops(of: kinds, others: known.union(ends)) : []
        var differing = 0
        ids.removeAll { ends.contains($0) }
        store.prefetch(ids)
        defer { store.prefetch([]) }
        for id in ids {
            if idle.loops > 0, !known.contains(id), let last = try RecoveredLoop.read(id, from: store).loop.lastSequence
            {
                idle.remove(sequence: last)
                if let kind = kinds.index(of: id) { idleOfKinds[kind] -= 1 }
            }
            if try preparer.isLeft(id, in: store) { continue }
            switch try preparer.prepare(id, from: store, trail: trail, crashes: crashes) {
            case .held(let loop):
                if held.count < HeldLoop.logged { loop.log(to: logger) }
                held.append(loop)
            case .ended(let end, let pending): ended.append((end, pending))
            case .ready(let loop):
                for event in loop.stats.recovered {
                    try store.forgetCrash(event.source, of: event.loop)
                    crashes.forget(event)
                }
                if case .diverged(let divergence, let builds) = loop.check {
                    if differing < HeldLoop.logged { divergence.log(builds: builds, to: logger) }
                    differing += 1
                }
                ready.append(loop)
            }
        }
        guard differing > HeldLoop.logged else { return }
        logger.warning(
            "more loops continue from their snapshots, whose models this build does not compute",
            metadata: ["loops": "\(differing - HeldLoop.logged)"])
    }

    /// The first inputs for the machine.
    package var inputs: [CoordinatorInput] {
        var away: [CoordinatorInput] = newLoops > 0 ? [.newLoops(from: newLoops)] : []
        if idle.loops > 0 { away.append(.idleLoops(idle, ofKinds: idleOfKinds)) }
        for (pool, pause) in pauses.sorted(by: { $0.key < $1.key }) { away.append(.pause(pause, of: pool)) }
        let ended = ended.map { CoordinatorInput.recoverEnded($0.end, pending: $0.pending) }
        return away + held.map { .hold($0.loop) } + ready.map(\.input) + ended
    }

    /// Logs how many loops were recovered, how many are held, and how much was replayed.
    package func log(to logger: Logger, epoch: UInt64) {
        if held.count > HeldLoop.logged {
            logger.error(
                "loops held, of which the first are logged above",
                metadata: ["loops": "\(held.count)", "do": "mobius quarantine list"])
        }
        if ready.isEmpty, !held.isEmpty {
            logger.critical(
                "ALL LOOPS ARE HELD: this coordinator applies no event until one is released",
                metadata: ["loops": "\(held.count)", "do": "mobius quarantine list"])
        }
        logger.info(
            ready.count + held.count == 1 ? "loop ready" : "loops ready",
            metadata: [
                "epoch": "\(epoch)", "loops": "\(ready.count)", "held": "\(held.count)", "idle": "\(idle.loops)",
                "replayed": "\(ready.reduce(0) { $0 + $1.stats.events })",
                "pending": "\(ready.reduce(0) { $0 + $1.pending })",
            ])
    }
}

extension JournalReading {
    /// The number of idle loops of each kind.
    ///
    /// - Parameter others: All that are not idle.
    fileprivate func idleLoops(of kinds: LoopKinds, others: Set<LoopID>) throws(JournalError) -> [Int] {
        var counts: [Int] = []
        for kind in kinds.all {
            var count = try loopCount(ofKind: kind.name)
            // The one that is named as the kind is not in this number.
            if let named = LoopID(kind.name), !others.contains(named), try contains(named) { count += 1 }
            counts.append(count)
        }
        for loop in others {
            if let kind = kinds.index(of: loop), loop.name != kinds.all[kind].name { counts[kind] -= 1 }
        }
        return counts
    }
}

extension BreadcrumbSlot.Trace {
    /// Logs a trap that does not hold its loop.
    fileprivate func log(count: Int, to logger: Logger) {
        let (loop, source) = ("\(breadcrumb.loop)", breadcrumb.source)
        guard let place = source.place else {
            guard count < CrashLedger.limit else { return }
            logger.warning(
                "the process trapped while it applied an event; the event is tried once more",
                metadata: ["loop": "\(loop)", "event": "\(source.words)", "build": "\(build)"])
            return
        }
        guard !place.holds || count < CrashLedger.limit else { return }
        logger.warning(
            place.holds
                ? "the process trapped in the program's code; it is called once more"
                : "the process trapped in the program's code; this build does not call it there again",
            metadata: ["loop": "\(loop)", "call": "\(source.words)", "build": "\(build)"])
    }
}

extension HeldLoop {
    /// The number of loops that are logged one by one when more are held at once.
    package static let logged = 5

    /// Logs why the loop is held and what the operator can do.
    func log(to logger: Logger) {
        switch cause {
        case .trap(let crash):
            let isReplayed = crash.breadcrumb.replayed != nil || crash.breadcrumb.source == .start
            logger.error(
                "loop held: one of its events trapped the process repeatedly",
                metadata: [
                    "loop": "\(loop)", "event": "\(source)", "type": "\(event?.kind.type ?? "none")",
                    "crashes": "\(crash.count)", "build": "\(build)",
                    "do": isReplayed
                        ? "fix update, then: mobius quarantine release \(loop)"
                        : "mobius quarantine show \(loop); then release \(loop), or release \(loop) --drop",
                ])
        case .program(_, let reason):
            logger.error(
                "loop held: one of its events caused a program error",
                metadata: [
                    "loop": "\(loop)", "event": "\(source)", "reason": "\(reason)", "build": "\(build)",
                    "do": """
                    fix the program and restart it; then: mobius quarantine release \(loop), or release \(loop) --drop
                    """,
                ])
        case .unreadable(_, let reason):
            logger.error(
                "loop held: this build cannot read it",
                metadata: ["loop": "\(loop)", "reason": "\(reason)", "do": "run a build that can read it"])
        case .impure(let reason):
            logger.error(
                "loop held: update is not pure",
                metadata: [
                    "loop": "\(loop)", "reason": "\(reason)", "build": "\(build)",
                    "do": "run a corrected build; or, to go on from its snapshot: mobius quarantine release \(loop)",
                ])
        }
    }
}
