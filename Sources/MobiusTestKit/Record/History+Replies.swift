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
