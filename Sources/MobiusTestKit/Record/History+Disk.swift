import MobiusEngine
import MobiusJournal
import MobiusWire

// Records what reaches the disk, and compares it with what the handlers sent.
extension History {
    func committed(_ records: [JournalRecord], by writer: UInt64) {
        for (place, record) in records.enumerated() {
            if case .note(let effect, .ended) = record { checkLeft(effect, before: records[place...]) }
            switch record {
            case .event(let event): committed(event, by: writer)
            case .note(let effect, let note): committed(effect, note, by: writer)
            }
        }
        checkAnswersEnded(in: records)
    }

    private func committed(_ event: EventRecord, by writer: UInt64) {
        let isNew = next[event.loop] == nil && event.source == .start
        let expected = next[event.loop] ?? 0
        if isNew ? event.sequence < removedUpTo[event.loop] ?? 0 : event.sequence != expected {
            violated(
                .appliedOnce, "event \(event.sequence) of loop \(event.loop) is on disk instead of event \(expected)")
        }
        next[event.loop] = event.sequence + 1
        if case .outside = event.source {
            let source = Source(loop: event.loop, key: event.source)
            numbers[source] = event.sequence
            replies[source] = lives[writer]?.replies[source]
        }
        checkEnd(event, isNew: isNew)
        if event.source == .start, event.sequence > 0 {
            journal[event.loop, default: []].append((event.source, writer))
        }
        if event.source != .start {
            journal[event.loop, default: []].append((event.source, writer))
            let source = Source(loop: event.loop, key: event.source)
            if !sources.insert(source).inserted, forgotten.remove(source) == nil {
                violated(.appliedOnce, "\(event.source.summary) is on disk twice")
            }
        }
        check(event)
        for (index, effect) in event.effects.enumerated() {
            let id = EffectID(loop: event.loop, sequence: event.sequence, index: UInt32(index))
            guard let plan = planOf(effect, event.loop) else { continue }
            if requested[id] != nil { violated(.appliedOnce, "two effects have the id \(id)") }
            requested[id] = Asked(effect: effect, plan: plan, time: event.time)
            askedOrder.append(id)
            if plan.isForSender { mayEndSilently.insert(id) }
            if plan.waitsForEnd, let loop = plan.recipient { left[loop, default: []].append(id) }
        }
    }

    private func check(_ event: EventRecord) {
        switch event.source {
        case .start: break
        case .outside(let key): if let effect = carried[key] { check(event, sent: effect) }
        case .loop(let effect): check(event, sent: effect)
        case .report(let attempt, let number):
            check(event, attempt, number)
            if let ended = event.ends { end(ended, .report(attempt, number: number)) }
        case .failure(let effect, let round):
            if endings[effect] != nil { violated(.appliedOnce, "the failure of \(effect) is on disk after its end") }
            if requested[effect]?.plan.policy.keepsDeadLetters == true, deadLetters[effect]?.round != round {
                violated(.nothingLost, "\(effect) failed for good, but its dead letter is not on disk")
            }
            if event.ends == effect { end(effect, .failure) }
        case .timer(let effect, let due):
            if endings[effect] != nil { violated(.appliedOnce, "the timer \(effect) fired after its end") }
            if let before = fired[effect], due <= before {
                violated(.appliedOnce, "the timer \(effect) fired for \(due) after it had fired for \(before)")
            }
            fired[effect] = due
            if event.ends == effect { end(effect, .timer) }
        case .answer(let effect):
            check(event, answerTo: effect)
        }
    }

    /// Checks that event n of an attempt on disk is the n-th event that its handler sent.
    private func check(_ event: EventRecord, _ attempt: AttemptID, _ number: UInt32) {
        let before = reported[attempt, default: 0]
        let nonsense = runs[attempt]?.nonsense ?? []
        // Events that follow an undecodable one in the same message may be applied; then the effect fails.
        if Int(number) <= before || !(before + 1..<Int(number)).allSatisfy(nonsense.contains) {
            violated(.attemptInOrder, "event \(number) of \(attempt) is on disk after event \(before)")
        }
        reported[attempt] = max(before, Int(number))
        let events = runs[attempt]?.events ?? []
        guard number >= 1, Int(number) <= events.count, events[Int(number) - 1] == event.event else {
            violated(
                .attemptInOrder, "event \(number) of \(attempt) on disk is not the one that its handler sent")
            return
        }
        if endings[attempt.effect] != nil {
            violated(.appliedOnce, "event \(number) of \(attempt) is on disk after the end of its effect")
        }
    }

    private func committed(_ effect: EffectID, _ note: EffectNote, by writer: UInt64) {
        switch note {
        case .ended: end(effect, .silent)
        case .started(let attempt): handedOut[effect] = attempt
        case .retried(let failures):
            if failures != retries[effect, default: 0] + 1 {
                violated(.runs, "failure \(failures) of \(effect) is on disk after \(retries[effect, default: 0])")
            }
            retries[effect] = failures
            if explained.remove(effect) == nil {
                violated(.conduct, "failure \(failures) of \(effect) is on disk without its reason")
            }
        case .answered(let reply):
            if told.updateValue(reply, forKey: effect) != nil { violated(.appliedOnce, "\(effect) was answered twice") }
            checkTold(effect, reply, by: writer)
        case .deadLettered(let letter):
            if deadLetters[effect] != nil { violated(.appliedOnce, "\(effect) became a dead letter twice") }
            deadLetters[effect] = letter
        case .requeued(_, let round, _):
            rounds[effect] = round
            if deadLetters.removeValue(forKey: effect) == nil {
                violated(.conduct, "\(effect) was requeued, but was no dead letter")
            }
            reopen(effect)
            retries[effect] = nil
            failures[effect] = nil
            handedOut[effect] = nil
            mayEndSilently.remove(effect)
        case .dropped: deadLetters[effect] = nil
        case .remarked(.acted(let act, let name, let why, _)) where effect.isNone:
            endsByHand(act, effect.loop, by: name, because: why)
        case .remarked(let remark): check(remark, on: effect)
        case .loopEnded:
            if effect.isNone, !endedByHand.contains(effect.loop) {
                violated(.conduct, "loop \(effect.loop) ended by hand, and nobody says who wanted it")
            }
            if !effect.isNone { end(effect, .silent) }
            endLoop(effect.loop)
        }
    }

    /// Checks that what the history says is what happened.
    private func check(_ remark: EffectRemark, on effect: EffectID) {
        if requested[effect] == nil {
            violated(.nothingLost, "a remark is on disk of \(effect), which was never requested")
        }
        switch remark {
        case .failed(let attempt, let worker, let reason, _):
            let id = AttemptID(effect: effect, attempt: attempt)
            if reason.isEmpty { violated(.conduct, "\(id) failed for no reason") }
            explained.insert(effect)
            // An order may be lost, and then nobody ran it.
            guard let run = runs[id], !worker.isEmpty else { return }
            if run.worker.map({ !"\($0)".hasPrefix(worker) && worker != run.process }) ?? false {
                violated(.conduct, "\(id) ran in \(run.process), but the history says \(worker)")
            }
            var reasons = EffectTimeout.allCases.map(\.rawValue) + ["the worker was lost"]
            if case .failed(_, let own) = run.end { reasons.append(own) }
            if reasons.contains(reason) || reason.hasPrefix("the event is too large to send") { return }
            guard run.nonsense.isEmpty || !reason.contains("cannot be read") else { return }
            violated(.conduct, "\(id) did not fail for the reason that the history has: \(reason)")
        case .cancelled(let other):
            if requested[other] == nil || other == effect || other < effect {
                violated(.conduct, "\(effect) was cancelled by \(other), which cannot be")
            }
            if endings[effect] != nil { violated(.conduct, "\(effect) was cancelled after its end") }
        case .asked(let name, _):
            if name != "operator" { violated(.conduct, "\(name) asked for what operators do of \(effect)") }
        case .acted(let act, let name, let why, _): acted(act, on: effect, by: name, because: why)
        case .unknown: violated(.conduct, "a remark of an unknown kind is on disk")
        }
    }

    func end(_ effect: EffectID, _ ending: Ending) {
        if requested[effect] == nil { violated(.nothingLost, "\(effect) ended, but was never requested") }
        if endings[effect] != nil { violated(.appliedOnce, "\(effect) ended twice") }
        endings[effect] = ending
    }
}
