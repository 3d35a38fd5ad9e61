package import MobiusJournal

/// The storage of a simulated disk's journal: memory, or files with injected faults.
package protocol JournalMedium: AnyObject {
    /// Opens the journal for a new process, without waiting for the end of the former one.
    ///
    /// It must contain all confirmed writes. A write that threw is contained completely or not at all.
    func open() throws(JournalError) -> any JournalStore

    /// Makes writes fail until the next opening.
    ///
    /// - Returns: `false` if the medium cannot fail. Then the caller simulates failed writes itself.
    func failWrites() -> Bool
}

/// A journal in memory, the production store of coordinators without a journal.
package final class MemoryMedium: JournalMedium {
    private var store = InMemoryStore()

    package init() {}

    package func open() -> any JournalStore {
        store = store.reopened()
        return store
    }

    package func failWrites() -> Bool { false }
}
