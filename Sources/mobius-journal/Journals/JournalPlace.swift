import MobiusJournal
import MobiusJournalPostgreSQL
import MobiusJournalSQLite
import MobiusWire

/// A journal that the commands read, in a file or in a database.
protocol InspectedJournal: JournalReading {
    /// A summary of the journal.
    func info() throws(JournalError) -> JournalInfo
    /// Reads the whole journal and reports what is wrong with it.
    func verify(_ progress: (_ done: Int, _ total: Int) -> Void) throws(JournalError) -> JournalReport
    /// The records of a loop from an event on.
    func records(of loop: LoopID, from sequence: UInt64, limit: Int) throws(JournalError) -> [JournalEntry]
    /// The first of a loop's newest events.
    func sequence(ofNewest count: Int, of loop: LoopID) throws(JournalError) -> UInt64?
    /// The effects of a loop that have not ended.
    func pending(of loop: LoopID) throws(JournalError) -> [PendingEffect]
}

extension JournalInspector: InspectedJournal {}

#if PostgreSQL
    extension PostgreSQLInspector: InspectedJournal {}
#endif

/// The place of a journal: a file, or a URL.
enum JournalPlace {
    /// The shards of a journal, in the order of their numbers: one, unless it was made with more.
    static func shards(_ place: String) throws(JournalError) -> [(shard: UInt32, slices: SliceSet)] {
        guard let scheme = JournalOpener.scheme(of: place) else { return [(0, .all)] }
        try require(scheme)
        #if PostgreSQL
            return try PostgreSQLCluster(url: place).shards().map { ($0.shard, $0.slices) }
        #else
            throw JournalError.withoutPostgreSQL(shown(place))
        #endif
    }

    /// Opens a shard of a journal for reading; it is closed with its last reference.
    static func open(
        _ place: String, shard: UInt32 = 0, pinsSnapshot: Bool
    ) throws(JournalError) -> any InspectedJournal {
        guard let scheme = JournalOpener.scheme(of: place) else {
            return try JournalInspector(path: place, pinsSnapshot: pinsSnapshot)
        }
        try require(scheme)
        #if PostgreSQL
            return try PostgreSQLInspector(url: place, shard: shard, pinsSnapshot: pinsSnapshot)
        #else
            throw JournalError.withoutPostgreSQL(shown(place))
        #endif
    }

    /// Fails unless the scheme is PostgreSQL's.
    static func require(_ scheme: String) throws(JournalError) {
        guard !JournalOpener.postgreSQL.schemes.contains(scheme) else { return }
        throw JournalError(
            .unsupported, "Journals are not kept at \(scheme)://: name a file, or a postgresql:// URL.")
    }

    /// The place without a password, for people.
    static func shown(_ place: String) -> String {
        JournalOpener.scheme(of: place) == nil ? place : JournalOpener.postgreSQL.show(place)
    }
}
