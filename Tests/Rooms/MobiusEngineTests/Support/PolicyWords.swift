import MobiusEngine
import MobiusJournal
import MobiusWire

// Short words for policies, and for what dialogues about them look at.

extension EffectPolicy {
    /// Once, no time-outs, no dead letters, unless it says so.
    static func plain(
        _ delivery: Delivery = .atLeastOnce, start: Duration? = nil, attempt: Duration? = nil, all: Duration? = nil,
        progress: Duration? = nil, retry: RetryPolicy = RetryPolicy(attempts: 3, jitter: 0), priority: Int = 0,
        limit: EffectLimit? = nil, perKey: EffectLimit? = nil, keeps: Bool = false
    ) -> EffectPolicy {
        EffectPolicy(
            delivery: delivery,
            timeouts: EffectTimeouts(
                scheduleToStart: start, startToClose: attempt, scheduleToClose: all, progress: progress),
            retry: retry, priority: priority, limit: limit, limitPerKey: perKey, keepsDeadLetters: keeps)
    }
}

extension Stage {
    /// A coordinator that is told the calendar's time, 0, and whose loop begins with these effects.
    static func dated(_ effects: PlannedEffect...) -> Stage {
        var stage = Stage()
        stage.play(.wallClock(WallTime(milliseconds: 0)), .begin(.main, effects: effects))
        return stage
    }

    /// An event that makes `update` ask for these effects, from outside.
    @discardableResult
    mutating func ask(_ effects: PlannedEffect..., by words: String) -> [CoordinatorAction] {
        ask(effects, by: words)
    }

    @discardableResult
    mutating func ask(_ effects: [PlannedEffect], by words: String) -> [CoordinatorAction] {
        update[words] = effects
        return play(.outside(1, key: words, words))
    }

    /// The time passes, and each second the calendar is heard, which is `ahead` of the clock.
    @discardableResult
    mutating func live(_ duration: Duration, ahead: Duration = .zero, alive: [Peer] = []) -> [CoordinatorAction] {
        var open: [CoordinatorAction] = []
        let end = now + duration
        while now < end {
            open += wait(min(.seconds(1), end - now), alive: alive)
            open += play(.wallClock(WallTime(milliseconds: now.nanoseconds / 1_000_000) + ahead))
        }
        return open
    }

    /// What the journal was told about effects, without events.
    var notes: [EffectNote] {
        records.compactMap { record in
            switch record {
            case .note(_, .remarked): nil
            case .note(_, let note): note
            case .event: nil
            }
        }
    }

    /// What the history says beside the notes.
    var remarks: [EffectRemark] {
        records.compactMap { if case .note(_, .remarked(let remark)) = $0 { remark } else { nil } }
    }

    /// The sources of the events that were applied.
    var sources: [SourceKey] { records.compactMap { if case .event(let event) = $0 { event.source } else { nil } } }
}

extension AttemptID {
    /// What the history says of its failure on the worker of most tests, at the beginning of time.
    func remark(_ reason: String) -> JournalRecord {
        .note(
            effect,
            .remarked(.failed(attempt, worker: "00000000", reason: reason, at: WallTime(milliseconds: 0))))
    }
}

extension [CoordinatorAction] {
    /// The keys that the journal is to look up.
    var lookedUp: [String] { compactMap { if case .lookUp(_, _, let key, _) = $0 { key } else { nil } } }

    /// The loops that are to be removed from the journal.
    var removed: [LoopID] { flatMap { action in if case .remove(let loops) = action { loops } else { [LoopID]() } } }

    /// The words of the effects that were ordered from anybody, in the order that they left.
    var ordered: [String] { orders.map(\.effect.words) }
}
