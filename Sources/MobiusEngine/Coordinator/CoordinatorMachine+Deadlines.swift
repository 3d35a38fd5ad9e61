import MobiusJournal
import MobiusWire

// Time-outs of effects and attempts, and timers.
extension CoordinatorMachine {
    /// Sets the deadlines of an effect, which count from its event.
    mutating func limitTime(of effect: EffectSlot, at now: Moment) {
        guard effects[effect].plan.hasSchedule else { return }
        switch effects[effect].plan.destination {
        case .pool, .ask: break
        case .local, .timer, .cancel, .sender, .loop, .atEnd, .endLoop: return
        }
        let timeouts = effects[effect].plan.timeouts
        if let timeout = timeouts.scheduleToStart {
            // Its deadline is set when it waits: until then a worker may prove that it began earlier.
            effects[effect].extra.startsBy = calendar.moment(of: effects[effect].asked + timeout, at: now)
        }
        if let timeout = timeouts.scheduleToClose {
            let moment = calendar.moment(of: effects[effect].asked + timeout, at: now)
            effects[effect].extra.closesBy = moment
            setDeadline(.scheduleToClose(effect), at: moment)
        }
    }

    /// Sets the deadlines of an attempt that starts now.
    mutating func limitTime(ofAttemptAt effect: EffectSlot, _ attempt: Attempt, at now: Moment) {
        let (attemptEnds, progressEnds) = effects[effect].limitTime(at: now)
        if let attemptEnds { setDeadline(.attempt(effect, attempt), at: attemptEnds) }
        if let progressEnds { setDeadline(.progress(effect, attempt), at: progressEnds) }
    }

    mutating func setDeadline(_ deadline: Deadline, at moment: Moment) {
        deadlines.set(deadline, at: moment)
        // Most attempts end long before their deadlines; at 100,000/s these would fill the memory.
        guard deadlines.count > 4 * effects.count + 1024 else { return }
        var queue = DeadlineQueue<Deadline>()
        swap(&queue, &deadlines)
        queue.sweep { deadline, moment in awaits(deadline, set: moment) }
        swap(&queue, &deadlines)
    }

    // Inlined: for a call the whole machine would be moved.
    /// Whether a deadline that was set for `moment` still matters.
    @inline(__always)
    func awaits(_ deadline: Deadline, set moment: Moment) -> Bool {
        effects.contains(deadline.effect) && effects[deadline.effect].awaits(deadline, set: moment)
    }

    mutating func due(
        _ deadline: Deadline, set moment: Moment, at now: Moment, _ actions: inout [CoordinatorAction]
    ) {
        guard awaits(deadline, set: moment) else { return }
        switch deadline {
        case .attempt(let effect, let attempt):
            self.attempt(effects.name(of: effect, attempt), ranOutOf: .startToClose, at: now, &actions)
        case .progress(let effect, let attempt):
            checkProgress(of: effect, attempt, at: now, &actions)
        case .retry(let effect): release(effect, at: now, &actions)
        case .scheduleToStart(let slot): effect(effects.key(of: slot), ranOutOf: .scheduleToStart, at: now, &actions)
        case .scheduleToClose(let slot): effect(effects.key(of: slot), ranOutOf: .scheduleToClose, at: now, &actions)
        case .timer(let effect): fire(effect, at: now, &actions)
        }
    }

    /// An attempt has timed out: its worker is notified, and the effect is retried or has failed.
    private mutating func attempt(
        _ id: AttemptID, ranOutOf timeout: EffectTimeout, at now: Moment, _ actions: inout [CoordinatorAction]
    ) {
        guard let policy = effects[id.effect]?.plan.policy else { return }
        let worker = withdraw(id.effect)
        if let worker { actions.append(.note(.timedOut(id, timeout, worker: worker))) }
        remark(failureOf: id, on: worker, timeout.rawValue, at: now)
        if policy.delivery == .atMostOnce {
            fail(id.effect, .outcomeUnknown, hasFailed: true, at: now, &actions)
        } else if policy.retry.onTimeout, mayRetry(id.effect, after: id.attempt) {
            withdrawAdopted(id.effect)
            delay(id.effect, by: pause(before: id.effect), at: now)
        } else {
            fail(id.effect, .timedOut(timeout, worker: worker), hasFailed: true, at: now, &actions)
        }
    }

    /// An effect has timed out, in any phase.
    private mutating func effect(
        _ id: EffectID, ranOutOf timeout: EffectTimeout, at now: Moment, _ actions: inout [CoordinatorAction]
    ) {
        guard let effect = effects[id] else { return }
        var mayHaveRun = false
        var attempt: Attempt?
        switch effect.phase {
        case .failing(let failing): attempt = failing
        case .running: mayHaveRun = true
        case .adoptable: mayHaveRun = effect.extra.started != nil
        case .committing, .queued, .starting, .delayed, .local, .waiting, .dormant, .addressed, .ending: break
        }
        _ = withdraw(id)
        let isUnknown = mayHaveRun && effect.plan.policy.delivery == .atMostOnce
        fail(
            id, isUnknown ? .outcomeUnknown : .timedOut(timeout), by: attempt, hasFailed: mayHaveRun, at: now, &actions)
    }

    /// Takes a running effect from its worker, which gets CANCEL once the reason is on disk; returns the worker's name.
    ///
    /// An earlier CANCEL might cause a report that the next coordinator, without the reason, takes for the effect's
    /// end.
    mutating func withdraw(_ id: EffectID) -> String? {
        guard let slot = effects.slot(of: id), case .running(let attempt, let incarnation) = effects[slot].phase
        else { return nil }
        let name = AttemptID(effect: id, attempt: attempt)
        if roster.recall(name, slot, from: incarnation, &effects) == false {
            batch.postCommitActions.append(.cancel(incarnation, name))
        }
        effects[slot].extra.overran = incarnation
        guard let worker = roster[incarnation]?.name, !worker.isEmpty else { return "\(incarnation)" }
        return worker
    }

    // MARK: Progress

    /// Reads the handlers' progress in a worker's list.
    mutating func progressed(_ held: [HeldAttempt], on incarnation: Incarnation, at now: Moment) {
        for attempt in held where attempt.progressAge != HeldAttempt.noProgress {
            guard let effect = effects.slot(of: attempt.id.effect),
                effects[effect].phase == .running(attempt.id.attempt, incarnation)
            else { continue }
            progressed(effect, at: now + .milliseconds(-Int64(attempt.progressAge)))
        }
    }

    /// The running handler has shown progress.
    mutating func progressed(_ effect: EffectSlot, at moment: Moment) {
        guard effects[effect].box != nil, let before = effects[effect].extra.progressed, moment > before else { return }
        effects[effect].extra.progressed = moment
    }

    private mutating func checkProgress(
        of effect: EffectSlot, _ attempt: Attempt, at now: Moment, _ actions: inout [CoordinatorAction]
    ) {
        guard case .running(_, let incarnation) = effects[effect].phase,
            let progressed = effects[effect].extra.progressed,
            let timeout = effects[effect].plan.policy.timeouts.progress, let worker = roster[incarnation]
        else { return }
        let end = progressed + timeout
        if end > now {
            setDeadline(.progress(effect, attempt), at: end)
        } else if let listed = worker.listed, listed >= end {
            self.attempt(effects.name(of: effect, attempt), ranOutOf: .progress, at: now, &actions)
        } else {
            // Its worker has not had time to report.
            setDeadline(.progress(effect, attempt), at: now + configuration.timing.heartbeat / 4)
        }
    }

    // MARK: Timers

    /// Starts a timer's wait.
    mutating func wait(_ index: EffectSlot, at now: Moment) {
        guard case .timer(let schedule) = effects[index].plan.destination else { return }
        let extra = effects[index].extra
        // It has its own time if the wall clock jumped before the commit.
        let next =
            extra.fired.map { schedule.next(after: $0) } ?? extra.next ?? extra.due
            ?? schedule.first(asked: effects[index].asked)
        guard let next else {
            // It has fired, under a schedule that its route no longer has.
            completedWithoutEvent(effects.key(of: index))
            return
        }
        deferred += 1
        change(index) { effect in
            effect.phase = .waiting
            effect.extra.next = next
        }
        setTimer(index, at: now)
    }

    private mutating func setTimer(_ index: EffectSlot, at now: Moment) {
        guard case .timer(let schedule) = effects[index].plan.destination, let due = effects[index].extra.next
        else { return }
        // Overdue times, too, so that overdue timers fire in order.
        var moment = calendar.moment(of: due, at: now)
        // Further ahead than all of its time, by more than clocks drift: the wall clock was set back since, or was wrong, and
        // elapsed time does not wait for it.
        if let pause = schedule.pause, moment > now + pause + .seconds(1) { moment = now + pause }
        let early = schedule.earlier(than: due, after: calendar.time(at: now))
        effects[index].extra.early = early
        if let early { moment = calendar.moment(of: early, at: now) }
        effects[index].ends = moment
        setDeadline(.timer(index), at: moment)
    }

    private mutating func fire(_ index: EffectSlot, at now: Moment, _ actions: inout [CoordinatorAction]) {
        guard case .timer(let schedule) = effects[index].plan.destination, let due = effects[index].extra.next
        else { return }
        let time = calendar.time(at: now)
        // The wall clock may be slightly behind the monotonic clock, which decides for relative timers.
        guard effects[index].extra.early ?? due <= time || schedule.isRelative else { return setTimer(index, at: now) }
        fired(index, schedule, for: schedule.latest(due: due, now: time), at: now, &actions)
    }

    /// A timer fires now, before its time: a repeating one goes on from there.
    mutating func fireNow(_ index: EffectSlot, at now: Moment, _ actions: inout [CoordinatorAction]) {
        guard case .timer(let schedule) = effects[index].plan.destination else { return }
        let time = calendar.time(at: now)
        // Each firing has its own id.
        fired(
            index, schedule, for: effects[index].extra.fired.map { max($0 + .milliseconds(1), time) } ?? time, at: now,
            &actions)
    }

    private mutating func fired(
        _ index: EffectSlot, _ schedule: TimerSchedule, for fired: WallTime, at now: Moment,
        _ actions: inout [CoordinatorAction]
    ) {
        let next = schedule.next(after: fired)
        effects[index].extra.fired = fired
        effects[index].extra.next = next
        let id = effects.key(of: index)
        if next == nil {
            end(id, index)
        } else {
            setTimer(index, at: now)
        }
        actions.append(.applyTimer(id, effect: effects[index].effect, due: fired, ends: next == nil))
    }

    /// Wall-clock times shift with a jump; times relative to an event do not.
    mutating func calendarJumped(by jump: Duration, at now: Moment) {
        let timers = effects.filter { if case .timer = $0.value.plan.destination { true } else { false } }
        for id in timers.map(\.key).sorted() {
            guard let index = effects.slot(of: id), let due = effects[index].extra.next,
                case .timer(let schedule) = effects[index].plan.destination
            else { continue }
            switch effects[index].phase {
            case .waiting where schedule.isRelative, .committing where schedule.isRelative:
                let shifted = due + jump
                // Each firing has its own id.
                effects[index].extra.next =
                    effects[index].extra.fired.map { max($0 + .milliseconds(1), shifted) } ?? shifted
            case .waiting: setTimer(index, at: now)
            default: break
            }
        }
    }
}

extension SlotTable<EffectID, EffectState> {
    /// The id of an attempt of an existing effect.
    func name(of effect: Slot, _ attempt: Attempt) -> AttemptID {
        AttemptID(effect: key(of: effect), attempt: attempt)
    }
}

extension CoordinatorMachine.Deadline {
    /// Whether it fails something that may have been done in time.
    var isJudgement: Bool {
        switch self {
        case .attempt, .progress, .scheduleToStart, .scheduleToClose: true
        case .retry, .timer: false
        }
    }

    var effect: EffectSlot {
        switch self {
        case .attempt(let effect, _), .progress(let effect, _): effect
        case .retry(let effect), .scheduleToStart(let effect), .scheduleToClose(let effect), .timer(let effect): effect
        }
    }
}

extension EffectState {
    /// Whether a deadline that was set for `moment` still matters.
    func awaits(_ deadline: CoordinatorMachine.Deadline, set moment: Moment) -> Bool {
        switch (deadline, phase) {
        case (_, .ending): false
        case (.attempt(_, let timed), .running(let attempt, _)): timed == attempt
        case (.progress(_, let timed), .running(let attempt, _)): timed == attempt
        case (.retry, .delayed), (.timer, .waiting): ends == moment
        case (.scheduleToStart, .queued): attempts == 0 && extra.startsBy == moment
        case (.scheduleToClose, _): extra.closesBy == moment
        default: false
        }
    }

    /// Starts an attempt's time; returns its deadline and that of its progress.
    mutating func limitTime(at now: Moment) -> (attempt: Moment?, progress: Moment?) {
        let attempt = plan.attemptTime.map { now.later(byNanoseconds: $0) }
        let closes = box == nil ? nil : extra.closesBy
        ends = if let attempt, let closes { min(attempt, closes) } else { attempt ?? closes }
        guard let timeout = plan.progressTime else { return (attempt, nil) }
        extra.progressed = now
        return (attempt, now.later(byNanoseconds: timeout))
    }
}
