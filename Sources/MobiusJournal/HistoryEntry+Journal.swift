package import MobiusWire

// A journal's entries as people and scripts get them.
extension HistoryEntry {
    /// Describes an entry of a loop.
    ///
    /// - Parameters:
    ///   - maximumEffects: The most effects; further ones are counted only.
    ///   - payloadBytes: The most bytes of its payloads; further ones are left out.
    package init(
        _ entry: JournalEntry, of loop: LoopID, maximumEffects: Int = .max, payloadBytes: Int = .max
    ) {
        let place = HistoryPlace(sequence: entry.sequence, part: entry.part)
        self.init(place, of: loop, .start, epoch: entry.epoch, build: entry.build)
        switch entry.record {
        case .event(let event):
            set(event.source)
            time = event.time
            ends = event.ends
            var room = payloadBytes
            self.event = event.event.map { HistoryPayload($0, &room) }
            set(event.effects, event.dues, maximumEffects, &room)
        case .note(let effect, let note):
            self.effect = effect.isNone ? nil : effect
            set(note)
        }
    }

    private mutating func set(_ source: SourceKey) {
        switch source {
        case .start: what = .start
        case .outside(let key): (what, self.key) = (.outside, key)
        case .report(let attempt, let number):
            (what, effect, self.attempt, report) = (.report, attempt.effect, attempt.attempt, number)
        case .failure(let effect, let round): (what, self.effect, self.round) = (.failure, effect, round)
        case .timer(let effect, let due): (what, self.effect, self.due) = (.timer, effect, due)
        case .loop(let effect): (what, self.effect) = (.loop, effect)
        case .answer(let effect): (what, self.effect) = (.answer, effect)
        }
    }

    private mutating func set(_ asked: [Payload], _ dues: [TimerDue], _ maximum: Int, _ room: inout Int) {
        effectCount = UInt32(clamping: asked.count)
        for (index, effect) in asked.prefix(maximum).enumerated() {
            let id = EffectID(loop: loop, sequence: place.sequence, index: UInt32(index))
            effects.append(
                HistoryEffect(
                    id, effect: HistoryPayload(effect, &room), due: dues.first { $0.index == id.index }?.due))
        }
    }

    private mutating func set(_ remark: EffectRemark) {
        switch remark {
        case .failed(let attempt, let worker, let reason, let time):
            (what, self.attempt, self.reason, self.time) = (.attemptFailed, attempt, reason, time)
            self.worker = worker
        case .cancelled(let effect): (what, by) = (.cancelled, effect)
        case .asked(let name, let time): (what, askedBy, self.time) = (.asked, name, time)
        case .acted(let act, let name, let why, let time):
            (what, self.act, askedBy, reason, self.time) = (.acted, act, name, why, time)
        case .unknown: what = HistoryEntry.What(rawValue: "remark")
        }
    }

    private mutating func set(_ note: EffectNote) {
        switch note {
        case .ended: what = .ended
        case .started(let attempt): (what, self.attempt) = (.started, attempt)
        case .retried(let failures): (what, self.failures) = (.retried, failures)
        case .answered(let reply):
            what = .answered
            if case .refusal(let refusal) = reply.reply { reason = refusal }
        case .deadLettered(let letter):
            (what, time, failures, reason, round) = (
                .deadLettered, letter.time, letter.failures, letter.reason, letter.round
            )
        case .requeued(_, let round, let time): (what, self.round, self.time) = (.requeued, round, time)
        case .dropped: what = .dropped
        case .remarked(let remark): set(remark)
        case .loopEnded(let mayBeginAgain, _, let time):
            (what, self.time, self.mayBeginAgain) = (.loopEnded, time, mayBeginAgain)
        }
    }
}

extension HistoryPayload {
    fileprivate init(_ payload: Payload, _ room: inout Int) {
        let fits = payload.bytes.count <= room
        if fits { room -= payload.bytes.count }
        self.init(
            kind: payload.kind, size: UInt32(clamping: payload.bytes.count), bytes: fits ? payload.bytes : nil)
    }
}
