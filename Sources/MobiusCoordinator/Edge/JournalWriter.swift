import MobiusCommand
import MobiusJournal
import MobiusJournalSQLite

/// The two ways to commit: at once in memory, or on the journal thread.
enum JournalWriter: Sendable {
    case memory(any JournalStore)
    case disk(JournalThread)

    /// Uses the store after all that was appended before: at once, or on the journal thread.
    func perform(_ body: @escaping @Sendable (any JournalStore) throws(JournalError) -> Void) {
        switch self {
        case .memory(let store):
            do throws(JournalError) {
                try body(store)
            } catch {
                preconditionFailure("A journal in memory has nothing that could fail: \(error)")
            }
        case .disk(let thread): thread.perform(body)
        }
    }

    /// Lets the journal go, for the next coordinator, after an error.
    func abandon() {
        switch self {
        case .memory(let store): store.close()
        case .disk(let thread): thread.close()
        }
    }
}

extension CoordinatorSettings {
    /// Opens the journal; the caller owns it until it hands it to a ``JournalWriter``.
    func openJournal() throws(JournalError) -> any JournalStore {
        switch journal {
        case .none: InMemoryStore(remembersRecords: false)
        case .file(let path):
            try SQLiteJournal(
                path: path, application: name, build: BuildIdentity.current, keepsHistory: keepsHistory,
                limits: journalLimits)
        }
    }
}
