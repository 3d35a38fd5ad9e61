import MobiusJournal
import MobiusWire

// From the queues to the workers.
extension CoordinatorMachine {
    /// Sends queued effects to the workers with the most free credit.
    mutating func dispatch(at now: Moment) {
        var round = dispatcher.beginRound(&roster, at: now)
        while let turn = round.next(&effects) {
            let isStarted = start(turn.effect, on: turn.worker, turn.slot, at: now)
            dispatcher.dispatched(turn, isStarted: isStarted, in: &round, at: now)
        }
        dispatcher.endRound(round, at: now)
    }

    /// Puts an effect at the end of its lane.
    mutating func enqueue(_ slot: EffectSlot) {
        let order = dispatcher.takeOrder()
        change(slot) { effect in
            effect.phase = .queued
            effect.order = order
        }
        dispatcher.append(slot, &effects, roster)
    }

    /// Puts effects back to their places in the queues.
    mutating func reinsert(_ ids: [EffectID]) {
        var slots: [EffectSlot] = []
        for id in ids {
            guard let slot = effects.slot(of: id), effects[slot].pool != nil else { continue }
            change(slot) { $0.phase = .queued }
            slots.append(slot)
        }
        dispatcher.reinsert(slots, effects, roster)
    }

    /// Tells workers that serve other shards, too, when effects begin to wait for their slots, when twice as many do, and when
    /// none does any more; and again after each of their heartbeats, because a message may be lost.
    mutating func tellWanted(_ actions: inout [CoordinatorAction]) {
        guard dispatcher.hasShards else { return }
        for incarnation in roster.order {
            guard let worker = roster.slot(of: incarnation),
                let count = roster[worker].takeNews(ofWanted: dispatcher.wanted[incarnation] ?? 0)
            else { continue }
            send(
                .wanted(UInt32(clamping: count)), to: roster[worker].peer, session: roster[worker].session, &actions)
        }
    }

    /// Tells what could be used of the cluster's limits, whenever that changes.
    mutating func tellDemands(at now: Moment, _ actions: inout [CoordinatorAction]) {
        if let demands = dispatcher.takeDemands(at: now) { actions.append(.demand(demands)) }
    }

    /// Returns whether the effect was still waiting.
    private mutating func start(
        _ effect: EffectSlot, on incarnation: Incarnation, _ worker: WorkerSlot, at now: Moment
    ) -> Bool {
        guard effects.contains(effect) else { return false }
        let epoch = configuration.epoch
        guard let begun = change(effect, { $0.start(on: incarnation, epoch: epoch) }) else { return false }
        if effects[effect].plan.hasLimit { dispatcher.began(effects[effect].plan, at: now) }
        if begun.isOnly {
            let name = effects.name(of: effect, begun.attempt)
            roster[worker].reserved.insert(name)
            batch.records.append(.note(name.effect, .started(begun.attempt)))
            batch.postCommitActions.append(.start(name, incarnation))
        } else {
            send(begun.attempt, of: effect, to: worker, at: now)
        }
        return true
    }

    /// The start of the attempt is on disk; if its worker was lost meanwhile, the attempt never started.
    mutating func started(_ id: AttemptID, on incarnation: Incarnation, at now: Moment) {
        let worker = roster.slot(of: incarnation)
        if let worker { roster[worker].reserved.remove(id) }
        guard let index = effects.slot(of: id.effect),
            case .starting(id.attempt, incarnation) = effects[index].phase
        else { return }
        if let worker, !roster[worker].draining, roster[worker].health == .good {
            change(index) { $0.phase = .running(id.attempt, incarnation) }
            send(id.attempt, of: index, to: worker, at: now)
        } else {
            reinsert([id.effect])
        }
    }

    private mutating func send(_ attempt: Attempt, of effect: EffectSlot, to worker: WorkerSlot, at now: Moment) {
        limitTime(ofAttemptAt: effect, attempt, at: now)
        let order = effects[effect].order(effects.name(of: effect, attempt), at: now)
        roster.hand(effect, order, to: worker, &effects)
    }
}

extension EffectState {
    /// An attempt that begins.
    struct Begun {
        let attempt: Attempt
        /// Whether it must be the only attempt, and so waits for its commit.
        let isOnly: Bool
    }

    /// Begins the next attempt, if the effect still waits.
    mutating func start(on incarnation: Incarnation, epoch: UInt64) -> Begun? {
        guard case .queued = phase else { return nil }
        let attempt = begin(epoch: epoch)
        let isOnly = plan.delivery == .atMostOnce
        phase = isOnly ? .starting(attempt, incarnation) : .running(attempt, incarnation)
        if isOnly { extra.started = attempt }
        return Begun(attempt: attempt, isOnly: isOnly)
    }
}
