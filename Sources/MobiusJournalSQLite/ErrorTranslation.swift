import CLibSQLite
import MobiusJournal

extension JournalError {
    /// Translates an SQLite error for the operator of the journal shown as `path`.
    init(_ error: DatabaseError, path: String) {
        switch error.primaryCode {
        case SQLITE_FULL:
            self.init(
                .notWritable, "The disk is full, so the journal \(path) cannot be written: make room and start again.",
                underlying: error)
        case SQLITE_BUSY, SQLITE_LOCKED:
            self.init(
                .held, "Another program is writing the journal \(path): stop it and start again.", underlying: error)
        case SQLITE_CONSTRAINT:
            self.init(
                .damaged,
                "Another program has changed the journal \(path) while this one had it open, so nothing of this commit "
                    + "was kept: find out which, then start again, or restore a backup.",
                underlying: error)
        case SQLITE_NOTADB:
            self.init(
                .damaged,
                "The file \(path) is not a journal, or its beginning is damaged: choose another --journal FILE, or "
                    + "restore it from a backup.",
                underlying: error)
        case SQLITE_CORRUPT, SQLITE_ERROR, SQLITE_MISMATCH, SQLITE_SCHEMA:
            self = .damaged(path, "SQLite cannot read it", underlying: error)
        case SQLITE_IOERR where Self.isBrokenContent(error):
            self = .damaged(path, "SQLite cannot read it", underlying: error)
        default:
            self.init(
                .notWritable,
                "The journal \(path) cannot be written: check its disk and permissions, then start again.",
                underlying: error)
        }
    }

    /// Runs `body` and translates the errors that it throws.
    static func translating<T>(_ path: String, _ body: () throws -> T) throws(JournalError) -> T {
        do {
            return try body()
        } catch let error as JournalError {
            throw error
        } catch let error as DatabaseError {
            throw JournalError(error, path: path)
        } catch {
            throw JournalError(.notWritable, "The journal \(path) cannot be used.", underlying: error)
        }
    }

    /// Runs `body` and translates SQLite's errors; others stay as they are.
    static func translatingOnly<T>(_ path: String, _ body: () throws -> T) throws -> T {
        do {
            return try body()
        } catch let error as DatabaseError {
            throw JournalError(error, path: path)
        }
    }

    private static func isBrokenContent(_ error: DatabaseError) -> Bool {
        // SQLITE_IOERR_SHORT_READ and SQLITE_IOERR_CORRUPTFS, which Swift does not import.
        [SQLITE_IOERR | 2 << 8, SQLITE_IOERR | 33 << 8].contains(error.code)
    }
}
