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
    }
#endif
