import MobiusJournal
import MobiusJournalTables

/// Access to what the writer of a file knows of it.
final class StoreAccess: TableAccess {
    let database: Database
    var contents: Contents
    var isClosed = false

    init(_ database: Database, _ contents: Contents) { (self.database, self.contents) = (database, contents) }

    var shown: String { database.shown }

    /// Each call uses the one connection and needs no transaction, as nothing else writes.
    func read<T>(_ body: (inout Contents, any JournalDatabase) throws -> T) throws -> T {
        try JournalError.translatingOnly(shown) { try run { try body(&contents, $0) } }
    }

    func run<T>(_ body: (Database) throws -> T) throws -> T {
        precondition(!isClosed, "This journal is closed: open it again to use it.")
        return try database.access(body)
    }
}
