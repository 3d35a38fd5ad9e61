import MobiusEngine
import MobiusJournal
import MobiusWire

// What senders are told, compared with what `update` asked for.
extension History {
    /// Notes what `update` told the sender of an event that a process applied.
    func replied(_ planned: [PlannedEffect], to key: String, of loop: LoopID, epoch: UInt64) {
        for case .sender(let reply) in planned.map(\.plan.destination) {
            lives[epoch, default: EpochRecord()].replies[Source(loop: loop, key: .outside(key))] = reply
        }
    }

    /// Notes what `update` told an effect that asked its loop.
    func replied(_ planned: [PlannedEffect], to effect: EffectID, epoch: UInt64) {
        lives[epoch, default: EpochRecord()].answers[effect] = OneOrMany(planned).reply
    }

    /// Notes that a loop that would have begun refuses the event of an effect that asks.
    package func refused(_ effect: EffectID, _ reply: SenderReply?) {
        guard case .refusal = reply else { return violated(.answering, "\(effect) began no loop, and was answered") }
        refusals[effect] = reply
    }

    /// Notes that an operator dropped the event of an effect that asks.
    func dropped(question effect: EffectID) { droppedQuestions.insert(effect) }

    /// Checks that an effect is told what the loop's `update` said to its event, which is on disk.
    func checkTold(_ effect: EffectID, _ told: LoopReply, by writer: UInt64) {
        guard let asked = requested[effect], asked.plan.asks, let loop = asked.plan.recipient else {
            return violated(.answering, "\(effect) was answered, but asks nobody")
        }
        let carried = Source(loop: loop, key: .outside(EventKey.delivery(of: effect)))
        let isOnDisk = sources.contains(Source(loop: loop, key: .loop(effect)))
        guard isOnDisk || numbers[carried] != nil else {
            if told.reply == nil, droppedQuestions.contains(effect) { return }
            if refusals[effect] == nil || refusals[effect] != told.reply {
                violated(.startsAfterCommit, "\(effect) was answered before its event was on disk")
            }
            return
        }
        let expected = isOnDisk ? lives[writer]?.answers[effect] : replies[carried]
        if told.reply != expected { violated(.answering, "\(effect) was answered otherwise than `update` answered it") }
    }

    /// Checks that a loop gets the event that its effect's route makes of what that was told.
    func check(_ event: EventRecord, answerTo effect: EffectID) {
        if event.ends != effect { violated(.conduct, "\(effect) was answered, and did not end") }
        defer { end(effect, .answer) }
        if let completed = acts[effect]?.last, completed.act == "complete" {
            if event.event != completed.event { violated(.answering, "\(effect) was completed by another event") }
            return
        }
        guard let told = told[effect], let asked = requested[effect] else {
            return violated(.startsAfterCommit, "the answer to \(effect) is on disk before it was told")
        }
        if event.loop != effect.loop || event.event != answerOf(asked.effect, told, effect.loop) {
            violated(.answering, "the answer to \(effect) is not what it was told")
        }
    }

    /// Checks that a sender was told the number and the answer of the event that is on disk under its key.
    func checkReply(_ confirmation: EventConfirmation, to key: String, of loop: LoopID) {
        let source = Source(loop: loop, key: .outside(key))
        // The loop may have been removed before the journal was asked what a repetition is told.
        if confirmation == EventConfirmation(repeated: true), forgotten.contains(source) { return }
        if confirmation.reply != replies[source] {
            violated(.answering, "\(key) was answered otherwise than `update` answered it")
        }
        if confirmation.number != numbers[source] {
            violated(
                .answering, "\(key) was confirmed as event \(confirmation.number.map { "\($0)" } ?? "of no number")")
        }
    }

    /// Checks that effects for senders have ended with their event.
    func checkAnswersEnded(in records: [JournalRecord]) {
        for case .event(let event) in records {
            for index in event.effects.indices {
                let id = EffectID(loop: event.loop, sequence: event.sequence, index: UInt32(index))
                guard requested[id]?.plan.isForSender == true, endings[id] == nil else { continue }
                violated(.answering, "the answer \(id) is on disk without its end")
            }
        }
    }
}
