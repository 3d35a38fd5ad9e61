import CLibSQLite
import MobiusJournal
import MobiusJournalTables

extension Database: JournalDatabase {
    func read(_ statements: [SQLStatement]) throws(JournalError) -> [Rows] {
        try JournalError.translating(shown) { try statements.map(rows(of:)) }
    }

    func hasTable(_ name: String) throws(JournalError) -> Bool {
        try read("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = $1", [.text(name)]).rows > 0
    }

    /// Runs what `body` adds to a commit, in the current transaction.
    func perform<T>(_ body: (inout Commit) throws -> T) throws -> T {
        var commit = Commit(shard: Self.shard)
        let result = try body(&commit)
        for statement in commit.statements { try run(statement) }
        return result
    }

    /// Runs a statement without result rows.
    func run(_ statement: SQLStatement) throws {
        let compiled = try self.statement(statement.sql)
        defer { compiled.reset() }
        try compiled.binding(statement.values[...]) { try compiled.run() }
    }

    private func rows(of statement: SQLStatement) throws -> Rows {
        let compiled = try self.statement(statement.sql)
        defer { compiled.reset() }
        let found = StoredRows()
        try compiled.binding(statement.values[...]) {
            while try compiled.next() { found.append(compiled) }
        }
        return Rows(found)
    }

    /// The number that rows have as their shard's: a file has one.
    static let shard: Int64 = 0
}

extension Statement {
    /// Runs `body` with values bound, which are not copied, from a parameter on.
    func binding<T>(_ values: ArraySlice<SQLStatement.Value>, _ index: CInt = 1, _ body: () throws -> T) throws -> T {
        guard let value = values.first else { return try body() }
        let rest = values.dropFirst()
        switch value {
        case .number(let number):
            bind(number, index)
            return try binding(rest, index + 1, body)
        case .bytes(let bytes):
            return try bytes.withUnsafeBytes {
                bind($0, index)
                return try binding(rest, index + 1, body)
            }
        case .utf8(let bytes):
            return try bytes.withUnsafeBytes {
                bindText($0, index)
                return try binding(rest, index + 1, body)
            }
        case .name(let name): return try binding([.text(name)] + rest, index, body)
        case .numbers, .texts: preconditionFailure("SQLite has no arrays.")
        }
    }
}

/// Copies of result rows.
private final class StoredRows: RowTable {
    private enum Value {
        case null
        case number(Int64)
        case bytes(UnsafeMutableRawBufferPointer)
    }

    private var values: [Value] = []
    private(set) var rows = 0
    private(set) var columns = 0

    // Of statements that change rows, `Database.changes` tells it.
    var changes: Int { 0 }

    deinit {
        for case .bytes(let bytes) in values { bytes.deallocate() }
    }

    func append(_ statement: Statement) {
        rows += 1
        columns = Int(sqlite3_column_count(statement.handle))
        for column in 0..<CInt(columns) {
            switch sqlite3_column_type(statement.handle, column) {
            case SQLITE_NULL: values.append(.null)
            case SQLITE_INTEGER, SQLITE_FLOAT: values.append(.number(statement.number(column)))
            default:
                let bytes = statement.bytes(column)
                let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
                copy.copyMemory(from: bytes)
                values.append(.bytes(copy))
            }
        }
    }

    func isNull(_ row: Int, _ column: Int) -> Bool {
        if case .null = values[row * columns + column] { true } else { false }
    }

    func number(_ row: Int, _ column: Int) -> Int64 {
        if case .number(let number) = values[row * columns + column] { number } else { 0 }
    }

    func bytes(_ row: Int, _ column: Int) -> UnsafeRawBufferPointer {
        if case .bytes(let bytes) = values[row * columns + column] {
            UnsafeRawBufferPointer(bytes)
        } else {
            .init(start: nil, count: 0)
        }
    }
}
