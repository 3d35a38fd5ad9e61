#if PostgreSQL
    import FleetTestSupport
    import JournalStoreCompatibility
    import MobiusJournal
    import MobiusJournalPostgreSQL
    import MobiusWire
    import TestTraits
    import Testing

    @Suite(
        "The journal in PostgreSQL",
        .enabled(if: PostgreSQLServer.isTested, Comment(rawValue: PostgreSQLServer.reason)),
        .patient)
    struct PostgreSQLJournalTests {
        @Test("keeps every store's promises", arguments: JournalStoreCompatibility.checks)
        func promise(_ check: JournalStoreCompatibility.Check) async throws {
            let url = try journal(in: await PostgreSQLServer.shared())
            try check.run { build in try open(url, build: build) }
        }

        @Test("keeps the history it should", arguments: JournalStoreCompatibility.windowChecks)
        func history(_ check: JournalStoreCompatibility.WindowCheck) async throws {
            let url = try journal(in: await PostgreSQLServer.shared())
            try check.run { history in try open(url, history: history) }
            #expect(try PostgreSQLInspector(url: url).verify().findings == [])
        }
    }
#endif
