public import MobiusJournal

extension JournalOpener {
    /// Journals in PostgreSQL: `postgresql://USER@HOST:PORT/DATABASE?schema=NAME`.
    ///
    /// Set it in `configure(_:)`: `settings.journalOpeners = [.postgreSQL]`. In a build without libpq, opening fails with
    /// what to build with.
    public static var postgreSQL: JournalOpener {
        JournalOpener(
            schemes: JournalURL.schemes,
            open: { request throws(JournalError) in
                #if PostgreSQL
                    try PostgreSQLJournal(
                        url: request.url, application: request.application, build: request.build,
                        history: request.history, limits: request.limits, epoch: request.epoch,
                        shard: request.shard)
                #else
                    throw .withoutPostgreSQL(JournalURL.redacted(request.url))
                #endif
            },
            read: { url, shard, pinsSnapshot throws(JournalError) in
                #if PostgreSQL
                    try PostgreSQLInspector(url: url, shard: shard, pinsSnapshot: pinsSnapshot)
                #else
                    throw .withoutPostgreSQL(JournalURL.redacted(url))
                #endif
            },
            leases: { request throws(JournalError) in
                #if PostgreSQL
                    try PostgreSQLLeases(request)
                #else
                    throw .withoutPostgreSQL(JournalURL.redacted(request.url))
                #endif
            },
            show: { JournalURL.redacted($0) })
    }
}

extension JournalError {
    /// This build has no PostgreSQL.
    package static func withoutPostgreSQL(_ url: String) -> JournalError {
        JournalError(
            .unsupported,
            "This build has no PostgreSQL, so it cannot open \(url): install libpq-dev (Deploy/setup --postgresql) and build "
                + "again with `Deploy/build --traits PostgreSQL`, or with `traits: [\"PostgreSQL\"]` at the dependency."
        )
    }
}
