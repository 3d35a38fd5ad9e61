import MobiusEngine
import MobiusJournal
import MobiusWire

// What reaches the disk, held against what handlers really said.
extension Chronicle {
    func committed(_ records: [JournalRecord], by writer: UInt64) {
        for record in records {
            switch record {
            case .event(let event): committed(event, by: writer)
            case .note(let effect, let note): committed(effect, note)
            }
        }
    }

    private func committed(_ event: EventRecord, by writer: UInt64) {
        let expected = next[event.loop, default: 0]
        if event.sequence != expected {
            complain(
                .appliedOnce, "event \(event.sequence) of loop \(event.loop) is on disk in the place of \(expected)")
        }
        next[event.loop] = event.sequence + 1
        if event.source != .start {
            journal[event.loop, default: []].append((event.source, writer))
            if !sources.insert(Source(loop: event.loop, key: event.source)).inserted {
                complain(.appliedOnce, "\(event.source.sketch) is on disk twice")
            }
        }
        check(event)
        for (index, effect) in event.effects.enumerated() {
            let id = EffectID(loop: event.loop, sequence: event.sequence, index: UInt32(index))
            guard let plan = planOf(effect) else { continue }
            asked[id] = Asked(effect: effect, plan: plan, time: event.time)
            askedOrder.append(id)
        }
    }

    private func check(_ event: EventRecord) {
        switch event.source {
        case .start, .outside: break
        case .report(let attempt, let number):
            check(event, attempt, number)
            if let ended = event.ends { end(ended, .report(attempt, number: number)) }
        case .failure(let effect, let round):
            if endings[effect] != nil { complain(.appliedOnce, "the failure of \(effect) is on disk after its end") }
            if asked[effect]?.plan.policy.keepsDeadLetters == true, letters[effect]?.round != round {
                complain(.nothingLost, "\(effect) failed for good, and no dead letter is on disk")
            }
            if event.ends == effect { end(effect, .failure) }
        case .timer(let effect, let due):
            if endings[effect] != nil { complain(.appliedOnce, "the timer \(effect) fired after its end") }
            if let before = fired[effect], due <= before {
                complain(.appliedOnce, "the timer \(effect) fired for \(due), after it had fired for \(before)")
            }
            fired[effect] = due
            if event.ends == effect { end(effect, .timer) }
        }
    }

    /// The n-th event of an attempt on disk is the n-th that its handler sent.
    private func check(_ event: EventRecord, _ attempt: AttemptID, _ number: UInt32) {
        let before = reported[attempt, default: 0]
        let nonsense = runs[attempt]?.nonsense ?? []
        // What came in one message with something that cannot be read may be applied; then the effect fails.
        if Int(number) <= before || !(before + 1..<Int(number)).allSatisfy(nonsense.contains) {
            complain(.attemptInOrder, "event \(number) of \(attempt) is on disk after event \(before)")
        }
        reported[attempt] = max(before, Int(number))
        let events = runs[attempt]?.events ?? []
        guard number >= 1, Int(number) <= events.count, events[Int(number) - 1] == event.event else {
            complain(
                .attemptInOrder, "what is on disk as event \(number) of \(attempt) is not what its handler sent so")
            return
        }
        if endings[attempt.effect] != nil {
            complain(.appliedOnce, "event \(number) of \(attempt) is on disk after the end of its effect")
        }
    }

    private func committed(_ effect: EffectID, _ note: EffectNote) {
        switch note {
        case .ended: end(effect, .silent)
        case .started(let attempt): handedOut[effect] = attempt
        case .setback(let failures):
            if failures != setbacks[effect, default: 0] + 1 {
                complain(.runs, "failure \(failures) of \(effect) is on disk after \(setbacks[effect, default: 0])")
            }
            setbacks[effect] = failures
        case .died(let letter):
            if letters[effect] != nil { complain(.appliedOnce, "\(effect) died twice") }
            letters[effect] = letter
        case .revived(_, let round, _):
            rounds[effect] = round
            if letters.removeValue(forKey: effect) == nil {
                complain(.conduct, "\(effect) was revived, and was not dead")
            }
            reopen(effect)
            setbacks[effect] = nil
            failures[effect] = nil
            handedOut[effect] = nil
            excused.remove(effect)
        case .dropped: letters[effect] = nil
        }
    }

    private func end(_ effect: EffectID, _ ending: Ending) {
        if asked[effect] == nil { complain(.nothingLost, "\(effect) ended, and was never asked for") }
        if endings[effect] != nil { complain(.appliedOnce, "\(effect) ended twice") }
        endings[effect] = ending
    }
}
