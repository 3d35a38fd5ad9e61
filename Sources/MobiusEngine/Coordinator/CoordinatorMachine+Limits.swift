import MobiusJournal
import MobiusWire

// How long things may take: time-outs of effects and attempts, and timers.
extension CoordinatorMachine {
    /// Sets the ends of an effect's own time, which began when it was asked for.
    mutating func limitTime(of id: EffectID, at now: Moment) {
        guard let effect = effects[id], case .pool = effect.plan.destination else { return }
        let timeouts = effect.plan.policy.timeouts
        if let timeout = timeouts.scheduleToStart {
            setDeadline(.scheduleToStart(id), at: calendar.moment(of: effect.asked + timeout, at: now))
        }
        if let timeout = timeouts.scheduleToClose {
            setDeadline(.scheduleToClose(id), at: calendar.moment(of: effect.asked + timeout, at: now))
        }
    }

    /// Sets the ends of an attempt's time, which begins now.
    mutating func limitTime(of id: AttemptID, _ index: Dictionary<EffectID, EffectState>.Index, at now: Moment) {
        let timeouts = effects.values[index].plan.policy.timeouts
        var end: Moment?
        if let timeout = timeouts.startToClose {
            let moment = now + timeout
            setDeadline(.attempt(id), at: moment)
            end = moment
        }
        if let timeout = timeouts.scheduleToClose {
            let moment = calendar.moment(of: effects.values[index].asked + timeout, at: now)
            end = min(end ?? moment, moment)
        }
        effects.values[index].ends = end
        if let timeout = timeouts.progress {
            effects.values[index].progressed = now
            setDeadline(.progress(id), at: now + timeout)
        }
    }

    private mutating func setDeadline(_ deadline: Deadline, at moment: Moment) {
        deadlines.set(deadline, at: moment)
        // Most attempts end long before their time; at 100,000/s their deadlines would fill the memory.
        guard deadlines.count > 4 * effects.count + 1024 else { return }
        deadlines.sweep { [effects] deadline in
            guard let id = deadline.effect else { return true }
            return effects[id]?.awaits(deadline) ?? false
        }
    }

    mutating func due(_ deadline: Deadline, at now: Moment, _ actions: inout [CoordinatorAction]) {
        guard deadline.effect.map({ effects[$0]?.awaits(deadline) ?? false }) ?? true else { return }
        switch deadline {
        case .attempt(let id): attempt(id, ranOutOf: .startToClose, at: now, &actions)
        case .progress(let id): checkProgress(of: id, at: now, &actions)
        case .retry(let id): release(id, at: now, &actions)
        case .scheduleToStart(let id): effect(id, ranOutOf: .scheduleToStart, at: now, &actions)
        case .scheduleToClose(let id): effect(id, ranOutOf: .scheduleToClose, at: now, &actions)
        case .timer(let id): fire(id, at: now, &actions)
        case .limit(let name): limits[name]?.wakesAt = nil  // the flush that follows looks at the queues
        }
    }

    /// An attempt is over: its worker is told, and the effect is tried again or has failed.
    private mutating func attempt(
        _ id: AttemptID, ranOutOf timeout: EffectTimeout, at now: Moment, _ actions: inout [CoordinatorAction]
    ) {
        guard let policy = effects[id.effect]?.plan.policy else { return }
        withdraw(id.effect)
        if policy.delivery == .atMostOnce {
            fail(id.effect, .outcomeUnknown, at: now, &actions)
        } else if policy.retry.onTimeout, mayRetry(id.effect) {
            delay(id.effect, by: pause(before: id.effect), at: now)
        } else {
            fail(id.effect, .timedOut(timeout), at: now, &actions)
        }
    }

    /// An effect is over, wherever it is.
    private mutating func effect(
        _ id: EffectID, ranOutOf timeout: EffectTimeout, at now: Moment, _ actions: inout [CoordinatorAction]
    ) {
        guard let effect = effects[id] else { return }
        var mayHaveRun = effect.started != nil
        var attempt: Attempt?
        if case .failing(let failing) = effect.phase { attempt = failing }
        if case .running = effect.phase { mayHaveRun = true }
        withdraw(id)
        let isUnknown = mayHaveRun && effect.plan.policy.delivery == .atMostOnce
        fail(id, isUnknown ? .outcomeUnknown : .timedOut(timeout), by: attempt, at: now, &actions)
    }

    /// Tells the worker of a running effect to cancel it.
    private mutating func withdraw(_ id: EffectID) {
        guard case .running(let attempt, let incarnation) = effects[id]?.phase else { return }
        workers[incarnation]?.withdraw(AttemptID(effect: id, attempt: attempt))
    }

    // MARK: Progress

    /// What a worker's list says of its handlers' progress.
    mutating func progressed(_ held: [HeldAttempt], at now: Moment) {
        for attempt in held where attempt.progressAge != HeldAttempt.noProgress {
            guard let index = effects.index(forKey: attempt.id.effect), let before = effects.values[index].progressed
            else { continue }
            effects.values[index].progressed = max(before, now + .milliseconds(-Int64(attempt.progressAge)))
        }
    }

    private mutating func checkProgress(
        of id: AttemptID, at now: Moment, _ actions: inout [CoordinatorAction]
    ) {
        guard case .running(_, let incarnation) = effects[id.effect]?.phase,
            let progressed = effects[id.effect]?.progressed,
            let timeout = effects[id.effect]?.plan.policy.timeouts.progress, let worker = workers[incarnation]
        else { return }
        let end = progressed + timeout
        if end > now {
            setDeadline(.progress(id), at: end)
        } else if let listed = worker.listed, listed >= end {
            attempt(id, ranOutOf: .progress, at: now, &actions)
        } else {
            // Its worker has had no time to tell.
            setDeadline(.progress(id), at: now + configuration.timing.heartbeat / 4)
        }
    }

    // MARK: Timers

    /// Lets a timer wait for its time.
    mutating func wait(_ id: EffectID, at now: Moment) {
        guard let index = effects.index(forKey: id), case .timer(let schedule) = effects.values[index].plan.destination
        else { return }
        change(index) { $0.phase = .waiting }
        if let fired = effects.values[index].fired {
            effects.values[index].due = schedule.next(after: fired)
        } else if effects.values[index].due == nil {
            effects.values[index].due = schedule.first(asked: effects.values[index].asked)
        }
        setTimer(id, index, at: now)
    }

    private mutating func setTimer(
        _ id: EffectID, _ index: Dictionary<EffectID, EffectState>.Index, at now: Moment
    ) {
        guard let due = effects.values[index].due else { return }
        let moment = max(now + .milliseconds(1), calendar.moment(of: due, at: now))
        effects.values[index].ends = moment
        setDeadline(.timer(id), at: moment)
    }

    private mutating func fire(_ id: EffectID, at now: Moment, _ actions: inout [CoordinatorAction]) {
        guard let index = effects.index(forKey: id), case .timer(let schedule) = effects.values[index].plan.destination,
            let due = effects.values[index].due, let moment = effects.values[index].ends, moment <= now
        else { return }
        let time = calendar.time(at: now)
        guard due <= time else { return setTimer(id, index, at: now) }  // the calendar is a little behind the clock
        let fired = schedule.latest(due: due, now: time)
        let next = schedule.next(after: fired)
        effects.values[index].fired = fired
        effects.values[index].due = next
        if next == nil {
            change(index) { $0.phase = .ending(nil) }
        } else {
            setTimer(id, index, at: now)
        }
        actions.append(.applyTimer(id, effect: effects.values[index].effect, due: fired, ends: next == nil))
    }

    /// Times of the calendar come sooner or later than the clock said; what is counted from an event does not.
    mutating func calendarJumped(by jump: Duration, at now: Moment) {
        for id in effects.keys.sorted() {
            guard let index = effects.index(forKey: id), case .waiting = effects.values[index].phase,
                case .timer(let schedule) = effects.values[index].plan.destination, let due = effects.values[index].due
            else { continue }
            if schedule.isRelative {
                let shifted = due + jump
                // Each time that it fires has a name of its own.
                effects.values[index].due =
                    effects.values[index].fired.map { max($0 + .milliseconds(1), shifted) } ?? shifted
            } else {
                setTimer(id, index, at: now)
            }
        }
    }
}

extension CoordinatorMachine.Deadline {
    /// The effect that it is about.
    var effect: EffectID? {
        switch self {
        case .attempt(let attempt), .progress(let attempt): attempt.effect
        case .retry(let id), .scheduleToStart(let id), .scheduleToClose(let id), .timer(let id): id
        case .limit: nil
        }
    }
}

extension EffectState {
    /// Whether a deadline still matters.
    func awaits(_ deadline: CoordinatorMachine.Deadline) -> Bool {
        switch (deadline, phase) {
        case (_, .ending), (.limit, _): false
        case (.attempt(let timed), .running(let attempt, _)): timed.attempt == attempt
        case (.progress(let timed), .running(let attempt, _)): timed.attempt == attempt
        case (.retry, .delayed): true
        case (.scheduleToStart, .queued), (.scheduleToStart, .adoptable): attempts == 0
        case (.scheduleToClose, _): true
        case (.timer, .waiting): true
        default: false
        }
    }
}
