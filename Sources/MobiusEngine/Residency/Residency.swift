import DequeModule
package import MobiusJournal
package import MobiusWire

/// The loops of a coordinator and where each of them is: in memory, held, ended, stored as idle, or nowhere.
///
/// It is the one place that answers "is it here?", and every move from one of these places to another is one of its methods. The
/// loops that have ended are kept by ``EndedLoops``; of idle ones only their number is known, because the journal has the rest.
package struct Residency: Sendable {
    /// The place of a loop.
    package enum Place {
        case inMemory(LoopSlot)
        /// In the journal; it cannot continue for now.
        case held
        case ended(EndedLoops.End)
        /// Perhaps in the journal, as idle: only a look there can tell.
        case stored
        case nowhere
    }

    let idleAfter: Duration?
    let keepEnded: Duration?
    let maximumLoops: Int
    private let keysInMemory: Int
    /// The loops in memory.
    private(set) var loops = SlotTable<LoopID, LoopState>()
    /// Loops of the journal that cannot continue for now.
    private(set) var held: Set<LoopID> = []
    /// The loops that have ended and are kept.
    private(set) var ended = EndedLoops()
    /// The loops that are not in memory.
    package private(set) var idle = IdleTotals()
    /// The names of all loops in memory, held and ended ones, in order.
    private(set) var directory = LoopDirectory()
    /// All of these and the idle ones, and the ended ones among them, by kind.
    private(set) var keptByKind: KindTally
    private(set) var endedByKind: KindTally
    /// Loops that did not begin since the last flush, because of a limit, and which limit.
    var refused: [(loop: LoopID, limit: Int, kind: String?)] = []
    /// The times at which the loops in memory are examined, in order.
    private var checks = Deque<IdleCheck>()
    /// The number of loops that are being stored as idle.
    private var leaving = 0

    /// The time at which a loop is examined next.
    private struct IdleCheck {
        let loop: LoopSlot
        let moment: Moment
    }

    package init(_ configuration: CoordinatorConfiguration, _ visits: VisitCount) {
        idleAfter = configuration.idleAfter
        keepEnded = configuration.keepEnded
        maximumLoops = configuration.maximumLoops
        keysInMemory = configuration.keysInMemory
        keptByKind = KindTally(configuration.kinds)
        endedByKind = KindTally(configuration.kinds)
        loops.visits = visits
    }

    // MARK: Where loops are

    /// The place of a loop.
    package mutating func place(of loop: LoopID) -> Place {
        if let slot = loops.slot(of: loop) { return .inMemory(slot) }
        if held.contains(loop) { return .held }
        if let end = ended[loop] { return .ended(end) }
        return idle.loops > 0 ? .stored : .nowhere
    }

    /// Whether the loop runs, is held, or has ended.
    package func knows(_ loop: LoopID) -> Bool { loops.find(loop) != nil || held.contains(loop) || ended[loop] != nil }

    /// Whether a loop that is not in memory may be idle.
    package func mayBeIdle(_ loop: LoopID) -> Bool { idle.loops > 0 && !knows(loop) }

    /// The state of a loop in memory.
    subscript(loop: LoopID) -> LoopState? { loops[loop] }

    /// The state of a loop in memory, in place.
    package subscript(slot: LoopSlot) -> LoopState {
        _read { yield loops[slot] }
        _modify { yield &loops[slot] }
    }

    /// The slot of a loop in memory.
    @inline(__always)
    package mutating func slot(of loop: LoopID) -> LoopSlot? { loops.slot(of: loop) }

    /// The number of a loop's last event; `nil` when there is no such loop, or it is held.
    package func lastSequence(of loop: LoopID) -> UInt64? { loops[loop]?.lastSequence ?? ended[loop]?.sequence }

    /// Whether the effect's loop has ended since, also if it has begun again.
    package func hasOutlived(_ id: EffectID) -> Bool {
        ended[id.loop] != nil || ended.hasLives && (loops[id.loop]?.began ?? 0) > id.sequence
    }

    /// Whether an event may have been under way when its loop ended: before that nothing need be known of it.
    @inline(__always)
    var mayDismiss: Bool { !ended.fresh.isEmpty || ended.hasLives }

    /// Whether an event was under way when its loop ended: one that an effect of event `asked` brings, if that is not `nil`.
    package func dismisses(eventFor loop: LoopID, askedBy asked: UInt64?) -> Bool {
        guard mayDismiss else { return false }
        if ended.fresh.contains(loop) { return true }
        guard let began = loops[loop]?.began, began > 0, let asked else { return false }
        return asked < began
    }

    // MARK: How many there are

    /// The number of loops in memory, idle and held ones, and of held ones among them.
    var counts: (all: Int, held: Int) { (loops.count + held.count + Int(clamping: idle.loops), held.count) }

    /// The loops of which something is kept: running, idle, held and ended ones.
    package var kept: Int { directory.count + Int(clamping: idle.loops) }

    /// The names of the loops in memory and of held ones, in no order.
    package var names: [String] { loops.map(\.key.name) + held.map(\.name) }

    // MARK: Into memory

    /// A loop begins, for the first time or again.
    ///
    /// Its numbers go on after those of its earlier life, or of loops that were removed, so that no effect gets the id of an
    /// earlier one; and so do its keys.
    ///
    /// - Parameter number: What ``startNumber(of:)`` was when the program made its first model; `nil` for what it is now.
    package mutating func begin(_ loop: LoopID, number: UInt64? = nil, at now: Moment) {
        held.remove(loop)  // its very first event may have held it
        enter(loop)
        let first = number ?? ended.newLoops
        let state =
            beginAgain(loop)
            ?? LoopState(nextSequence: first, outsideKeys: RecentSet(limit: keysInMemory), began: first)
        watch(loops.insert(state, for: loop), at: now)
    }

    /// The number of the first event of a loop that would begin now.
    package func startNumber(of loop: LoopID) -> UInt64 { ended[loop].map { $0.sequence + 1 } ?? ended.newLoops }

    private mutating func beginAgain(_ loop: LoopID) -> LoopState? {
        guard let (end, state) = ended.remove(loop) else { return nil }
        endedByKind.add(loop, -1)
        ended.hasLives = true
        return LoopState(
            nextSequence: end.sequence + 1, outsideKeys: state?.outsideKeys ?? RecentSet(limit: keysInMemory),
            forgetsKeys: state?.forgetsKeys ?? true, pending: Int(end.outstanding), oldest: 0,
            width: state?.width ?? .max, began: end.sequence + 1)
    }

    /// A loop was read from the journal; returns whether it was held.
    package mutating func recover(_ resumed: ResumedLoop, at now: Moment) -> Bool {
        var keys = RecentSet<ExactText>(limit: keysInMemory)
        for key in resumed.outsideKeys { keys.insert(ExactText(key)) }
        enter(resumed.loop)
        let state = LoopState(
            nextSequence: resumed.lastSequence + 1, outsideKeys: keys, forgetsKeys: resumed.forgetsKeys,
            pending: resumed.pending.count, lastEvent: resumed.lastEvent,
            oldest: resumed.pending.map(\.0.id.sequence).min() ?? 0,
            width: (resumed.pending.map(\.0.id.index).max() ?? 0).saturatingAdding(1), began: resumed.began)
        watch(loops.insert(state, for: resumed.loop), at: now)
        if resumed.began > 0 { ended.hasLives = true }
        return held.remove(resumed.loop) != nil
    }

    // MARK: Out of memory

    /// The loop cannot continue for now; returns whether it was in memory.
    package mutating func hold(_ loop: LoopID) -> Bool {
        held.insert(loop)
        enter(loop)
        return loops.removeValue(forKey: loop) != nil
    }

    /// The loop is gone, without a word in the journal.
    package mutating func forget(_ loop: LoopID) {
        loops[loop] = nil
        exit(loop)
    }

    /// Lists the name of a loop that is in memory, held or ended.
    private mutating func enter(_ loop: LoopID) {
        if directory.insert(loop) { keptByKind.add(loop) }
    }

    private mutating func exit(_ loop: LoopID) {
        if directory.remove(loop) { keptByKind.add(loop, -1) }
    }

    // MARK: Idle
    //
    // A loop leaves in two steps: the host stores that it is idle, and when that is on disk and the loop was not used meanwhile,
    // it leaves memory. So a crash finds the loop either as before or idle, and an event is never applied to half a loop.

    /// The most loops that leave at a time: their transaction delays other commits.
    static var leavingLoops: Int { 256 }
    /// The most loops that are examined at a time.
    private static var examined: Int { 4096 }

    /// The time at which the next loop may be idle; `nil` for never, or while some leave.
    package var nextIdle: Moment? { leaving == 0 ? checks.first?.moment : nil }

    /// A loop came into memory: from now on it is examined from time to time.
    ///
    /// `main` never leaves.
    private mutating func watch(_ loop: LoopSlot, at now: Moment) {
        loops[loop].lastUse = now
        if loops.key(of: loop) != .main { examine(loop, at: now) }
    }

    /// Has the loop examined when it may be idle, unless it will be anyway: one that has begun again since it was to leave.
    private mutating func examine(_ loop: LoopSlot, at now: Moment) {
        guard let idleAfter, !loops[loop].isWatched else { return }
        loops[loop].isWatched = true
        check(loop, at: now + idleAfter)
    }

    /// Those behind others may be due before; they are examined a little later then.
    private mutating func check(_ loop: LoopSlot, at due: Moment) {
        checks.append(IdleCheck(loop: loop, moment: max(due, checks.last?.moment ?? due)))
    }

    /// Somebody uses the loop, which stays in memory for a while.
    package mutating func use(_ loop: LoopID, at now: Moment) {
        guard let slot = loops.slot(of: loop) else { return }
        loops[slot].lastUse = now
        loops[slot].isLeaving = false
    }

    /// Takes the loops that are to be stored as idle: those without pending effects that were not used for a while.
    package mutating func takeIdle(at now: Moment) -> [LoopID] {
        guard let idleAfter, leaving == 0, let next = checks.first, next.moment <= now else { return [] }
        var idle: [LoopID] = []
        var examined = 0
        while examined < Self.examined, idle.count < Self.leavingLoops, let next = checks.first, next.moment <= now {
            checks.removeFirst()
            examined += 1
            guard loops.contains(next.loop) else { continue }
            let isBusy = loops[next.loop].pending > 0
            let due = (isBusy ? now : loops[next.loop].lastUse) + idleAfter
            if due <= now, !isBusy {
                (loops[next.loop].isLeaving, loops[next.loop].isWatched) = (true, false)
                idle.append(loops.key(of: next.loop))
            } else {
                check(next.loop, at: due)
            }
        }
        leaving = idle.count
        return idle
    }

    /// These loops are stored as idle: those that were not used meanwhile leave, and are returned.
    package mutating func leave(_ stored: [LoopID], at now: Moment) -> [LoopID] {
        leaving -= min(leaving, stored.count)
        return stored.filter { loop in
            guard let slot = loops.slot(of: loop) else { return false }
            guard loops[slot].isLeaving, loops[slot].pending == 0, let last = loops[slot].lastSequence else {
                stay(slot, at: now)
                return false
            }
            forget(loop)
            idle.add(sequence: last)
            keptByKind.add(loop)
            return true
        }
    }

    /// The loops of the journal that are idle at the start, and how many there are of each kind.
    package mutating func recoverIdle(_ totals: IdleTotals, ofKinds kinds: [Int]) {
        idle = totals
        keptByKind.add(kinds)
    }

    /// An idle loop was read: it is in memory, or held.
    package mutating func returned(_ loop: LoopID, sequence: UInt64) {
        idle.remove(sequence: sequence)
        keptByKind.add(loop, -1)
    }

    /// These loops cannot leave now.
    package mutating func stay(_ staying: [LoopID], at now: Moment) {
        leaving -= min(leaving, staying.count)
        for loop in staying {
            if let slot = loops.slot(of: loop) { stay(slot, at: now) }
        }
    }

    private mutating func stay(_ loop: LoopSlot, at now: Moment) {
        loops[loop].isLeaving = false
        examine(loop, at: now)
    }

    // MARK: Ended

    /// The loop ends with its last event.
    package mutating func end(
        _ loop: LoopID, outstanding: UInt32, mayBeginAgain: Bool, isCancelling: Bool = false, _ time: WallTime
    ) {
        guard let state = loops.removeValue(forKey: loop) else { return }
        // Effects whose ends are not on disk yet are counted, too, until they are forgotten.
        let end = EndedLoops.End(
            sequence: state.nextSequence - 1, time: time, outstanding: UInt32(clamping: state.pending),
            mayBeginAgain: mayBeginAgain, isSending: outstanding > 0)
        ended.insert(end, loop, state)
        if isCancelling { ended.remember(state.span, of: loop) }
        endedByKind.add(loop)
    }

    /// An ended loop of the journal, with this number of effects that are still sent, some of which are perhaps to cancel others.
    package mutating func recover(_ end: EndedLoop, outstanding: Int, cancelling: [EffectID] = []) {
        held.remove(end.loop)
        enter(end.loop)
        if ended[end.loop] == nil { endedByKind.add(end.loop) }  // or it was held after its end
        ended.insert(
            EndedLoops.End(
                sequence: end.sequence, time: end.time, outstanding: UInt32(clamping: outstanding),
                mayBeginAgain: end.mayBeginAgain, isSending: outstanding > 0, isRemoving: end.isRemoving),
            end.loop, nil)
        if let span = EffectSpan(of: cancelling, upTo: end.sequence) { ended.remember(span, of: end.loop) }
        if end.isRemoving { ended.interrupted.append(end.loop) }
    }

    /// Where the effects of a loop may be; `nil` if that is not known.
    func span(of loop: LoopID) -> EffectSpan? {
        if let slot = loops.find(loop) { return loops[slot].span }
        return ended.span(of: loop)
    }

    /// An effect's end is on disk: its loop, or what is left of it, waits for one less.
    package mutating func effectEnded(_ id: EffectID) {
        if !ended.forget(id), let loop = loops.slot(of: id.loop) { loops[loop].pending -= 1 }
    }

    /// Takes the loops that ended with the event that was recorded.
    package mutating func takeNewestEnds() -> [LoopID] { ended.newest.isEmpty ? [] : ended.newest.takeAll() }

    /// The end of this loop is on disk.
    package mutating func commitEnd(of loop: LoopID) { ended.commit(loop) }

    /// What was under way when loops ended has arrived.
    package mutating func settleEnds() { ended.fresh.removeAll(keepingCapacity: true) }

    /// The number with which loops of new names begin, at least.
    package mutating func beginNewLoops(with number: UInt64) { ended.newLoops = number }

    // MARK: Removing

    /// The most loops that are removed from the journal at a time.
    static var removals: Int { 64 }

    /// The time at which the next loops are removed from the journal; `nil` for never, or while some are.
    package var nextRemoval: Moment? { ended.wakesAt }

    /// - Parameter goesOn: Whether as many were removed as one step may, and more may be due already.
    package mutating func planRemovals(goesOn: Bool = false, _ calendar: WallClockTracker, at now: Moment) {
        guard ended.wakesAt == nil, !ended.removalIsUnderWay else { return }
        // Usually at least a second later, so that few ends do not cost a step each; within an hour, because wall clocks jump.
        var moment = goesOn ? now : now + .seconds(1)
        if ended.interrupted.isEmpty {
            guard let keepEnded, let time = ended.oldest(kept: keepEnded) else { return }
            moment = min(max(calendar.moment(of: time, at: now), moment), now + .seconds(3600))
        }
        ended.wakesAt = moment
    }

    /// Takes the loops that are removed from the journal now.
    package mutating func takeRemovals(_ calendar: WallClockTracker, at now: Moment) -> [LoopID] {
        ended.wakesAt = nil
        // What an earlier coordinator began is ended, however long loops are kept now.
        var loops = ended.takeInterrupted(Self.removals)
        if let keepEnded {
            let time = calendar.time(at: now) + (.zero - keepEnded)
            loops += ended.takeOldest(Self.removals - loops.count, before: time)
        }
        ended.removalIsUnderWay = !loops.isEmpty
        planRemovals(calendar, at: now)
        return loops
    }

    /// These loops were removed from the journal; returns those whose names are new again.
    package mutating func removed(_ loops: [LoopID], _ calendar: WallClockTracker, at now: Moment) -> [LoopID] {
        ended.removalIsUnderWay = false
        var gone: [LoopID] = []
        for loop in loops where ended.isRemoving(loop) {
            guard let (end, _) = ended.remove(loop) else { continue }
            ended.newLoops = max(ended.newLoops, end.sequence + 1)
            if !held.contains(loop) { exit(loop) }
            endedByKind.add(loop, -1)
            gone.append(loop)
        }
        planRemovals(goesOn: loops.count == Self.removals, calendar, at: now)
        return gone
    }
}
