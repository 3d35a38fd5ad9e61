#if PostgreSQL
    import FleetTestSupport
    import Foundation
    import MobiusJournal
    import MobiusJournalPostgreSQL

    /// Opens a journal that was prepared, for the program `torture`.
    func open(
        _ url: String, build: String = "1.0", history: KeptHistory = .needed, limits: JournalLimits = .standard,
        shard: UInt32 = 0
    ) throws -> PostgreSQLJournal {
        try PostgreSQLJournal(
            url: url, application: "torture", build: build, history: history, limits: limits, shard: shard)
    }

    /// The URL of an empty journal.
    func journal(in server: PostgreSQLServer, shards: Int = 1) throws -> String {
        let url = server.url()
        try PostgreSQLSchema.prepare(url: url, shards: shards)
        return url
    }

    /// The error that `body` throws.
    func failure(_ body: () throws -> Void) -> JournalError? {
        do { try body() } catch { return error as? JournalError }
        return nil
    }

    /// Work on a thread of its own, because calls of a journal block theirs.
    final class Later<Value: Sendable>: Sendable {
        private let outcome = Journey<Value>()

        init(_ body: @escaping @Sendable () -> Value) {
            Thread { [outcome] in outcome.add(body()) }.start()
        }

        /// Waits until it is done.
        func value() async throws -> Value {
            try await outcome.wait(for: "the work on another thread") { !$0.isEmpty }
            return outcome.elements[0]
        }
    }
#endif
