import CLibSQLite

/// An error of SQLite.
struct DatabaseError: Error, CustomStringConvertible {
    /// SQLite's extended result code.
    let code: CInt
    /// SQLite's description.
    let message: String
    /// The statement that failed, if there was one.
    private(set) var sql: String?

    /// The code of the error's class, such as `SQLITE_IOERR`.
    var primaryCode: CInt { code & 0xff }

    /// Whether it says that a file cannot be read; others of a copy say that the new file cannot be written.
    var isOfReading: Bool {
        switch primaryCode {
        case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_BUSY, SQLITE_LOCKED: true
        // SQLITE_IOERR_READ, SQLITE_IOERR_SHORT_READ and SQLITE_IOERR_CORRUPTFS, which Swift does not import.
        case SQLITE_IOERR: [1, 2, 33].contains(code >> 8)
        default: false
        }
    }

    init(_ code: CInt, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The error of the last call on a connection.
    init(of connection: OpaquePointer?, sql: String? = nil) {
        self.init(sqlite3_extended_errcode(connection), String(cString: sqlite3_errmsg(connection)))
        self.sql = sql
    }

    /// The code, the message and the statement, but no bound values.
    var description: String {
        let words = "SQLite error \(primaryCode): \(message)"
        guard let sql else { return words }
        let isBlank = { (character: Character) in character.isWhitespace || character == ";" }
        let begin = sql.drop(while: isBlank)
        let end = begin.lastIndex { !isBlank($0) }
        return "\(words) - while executing `\(end.map { begin[...$0] } ?? begin)`"
    }
}
