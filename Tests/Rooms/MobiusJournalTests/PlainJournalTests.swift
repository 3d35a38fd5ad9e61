import JournalStoreCompatibility
import MobiusJournal
import PlainJournal
import TestTraits
import Testing

/// A third database under the tables needs some 500 lines, and nothing of the two others.
@Suite("A third database", .ownThread)
struct PlainJournalTests {
    @Test("keeps every store's promises", arguments: JournalStoreCompatibility.checks)
    func promise(_ check: JournalStoreCompatibility.Check) throws {
        let database = PlainDatabase()
        try check.run { build in try PlainJournal(database, build: build) }
    }

    @Test("keeps the history it should", arguments: JournalStoreCompatibility.windowChecks)
    func history(_ check: JournalStoreCompatibility.WindowCheck) throws {
        let database = PlainDatabase()
        try check.run { history in try PlainJournal(database, build: "1", history: history) }
    }
}
