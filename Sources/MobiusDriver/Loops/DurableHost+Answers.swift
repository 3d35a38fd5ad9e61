package import MobiusEngine
import MobiusJournal
package import MobiusWire

// What senders were told, for the repetitions of their events.
extension DurableHost {
    /// Reads the answer from the journal, which keeps it as long as the key: none is kept in memory.
    package func confirmAgain(_ request: RequestID, _ loop: LoopID, key: String, _ repetition: Repetition) {
        setting.journal.perform { [post = setting.post] store throws(JournalError) in
            do throws(JournalError) {
                let known = try store.confirmation(of: key, in: loop)
                post(.answer(request, repetition.answer(known, to: try store.mark(of: key, in: loop))))
            } catch {
                post(.readFailed(request, error))
            }
        }
    }
}
