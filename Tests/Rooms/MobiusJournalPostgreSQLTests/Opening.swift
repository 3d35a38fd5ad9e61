#if PostgreSQL
    import FleetTestSupport
    import MobiusJournal
    import MobiusJournalPostgreSQL

    /// Opens a journal that was prepared, for the program `torture`.
    func open(
        _ url: String, build: String = "1.0", keepsHistory: Bool = false, limits: JournalLimits = .standard
    ) throws -> PostgreSQLJournal {
        try PostgreSQLJournal(
            url: url, application: "torture", build: build, keepsHistory: keepsHistory, limits: limits)
    }

    /// The URL of an empty journal.
    func journal(in server: PostgreSQLServer) throws -> String {
        let url = server.url()
        try PostgreSQLSchema.prepare(url: url)
        return url
    }

    /// The error that `body` throws.
    func failure(_ body: () throws -> Void) -> JournalError? {
        do { try body() } catch { return error as? JournalError }
        return nil
    }
#endif
