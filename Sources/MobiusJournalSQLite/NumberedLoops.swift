import GRDB
import MobiusJournal
import MobiusWire

/// A loop's number in the journal and where its records end.
struct NumberedLoop {
    /// The number, from 1.
    let number: Int64
    /// Its last record; `nil` before the start.
    var last: RecordPlace?
}

/// The loops that this process has touched.
struct NumberedLoops {
    private let path: String
    private var loops: [LoopID: NumberedLoop] = [:]
    private var isVerified = false

    /// Begins with none.
    init(path: String) {
        self.path = path
    }

    /// Finds a loop; `nil` when the journal has none of that name.
    mutating func find(_ loop: LoopID, _ database: Database) throws -> NumberedLoop? {
        if let known = loops[loop] { return known }
        guard let number = try number(of: loop, database) else { return nil }
        let found = NumberedLoop(number: number, last: try lastPlace(of: number, database))
        loops[loop] = found
        return found
    }

    /// Finds a loop or gives it the next number.
    mutating func findOrAdd(_ loop: LoopID, _ database: Database) throws -> NumberedLoop {
        if let found = try find(loop, database) { return found }
        let statement = try RawStatement(database, "INSERT INTO loops (name, checksum) VALUES (?, ?)")
        defer { statement.reset() }
        var name = loop.name
        try name.withUTF8 { name in
            statement.bindText(UnsafeRawBufferPointer(name), 1)
            statement.bind(Self.checksum(loop.name), 2)
            try statement.run()
        }
        let added = NumberedLoop(number: database.lastInsertedRowID, last: nil)
        loops[loop] = added
        return added
    }

    /// Remembers where the loop's records end now.
    mutating func update(_ loop: LoopID, _ numbered: NumberedLoop) {
        loops[loop] = numbered
    }

    /// Fails when the record that was written last is broken, or is not the last of its loop as the order index has it.
    ///
    /// A gap before it is found by whoever reads the loop; nothing else would miss the very last record.
    func verifyEnd(_ database: Database) throws {
        let statement = try RawStatement(
            database, "SELECT \(RecordRow.columns) FROM records NOT INDEXED ORDER BY position DESC LIMIT 1")
        defer { statement.reset() }
        guard try statement.next() else { return }
        let row = RecordRow(from: statement)
        guard row.matchesChecksum(statement), try lastPlace(of: row.loop, database) == place(statement, 1) else {
            throw JournalError.damaged(path, "its last record is not what was written")
        }
    }

    private mutating func number(of loop: LoopID, _ database: Database) throws -> Int64? {
        let statement = try RawStatement(database, "SELECT id, checksum FROM loops WHERE name = ?")
        defer { statement.reset() }
        var name = loop.name
        let found: (number: Int64, sum: Int64)? = try name.withUTF8 { utf8 in
            statement.bindText(UnsafeRawBufferPointer(utf8), 1)
            return try statement.next() ? (statement.number(0), statement.number(1)) : nil
        }
        guard let found else {
            // Before a loop is taken for new, and started anew: is there a broken name that may be its?
            try verifyNames(database)
            return nil
        }
        guard found.sum == Self.checksum(loop.name) else { throw brokenName }
        return found.number
    }

    private mutating func verifyNames(_ database: Database) throws {
        guard !isVerified else { return }
        let statement = try RawStatement(database, "SELECT name, checksum FROM loops NOT INDEXED")
        defer { statement.reset() }
        while try statement.next() {
            guard let name = statement.text(0), Self.checksum(name) == statement.number(1) else { throw brokenName }
        }
        isVerified = true
    }

    private func lastPlace(of number: Int64, _ database: Database) throws -> RecordPlace? {
        let statement = try RawStatement(
            database, "SELECT sequence, part FROM records WHERE loop = ? ORDER BY sequence DESC, part DESC LIMIT 1")
        defer { statement.reset() }
        statement.bind(number, 1)
        guard try statement.next() else { return nil }
        return try place(statement, 0)
    }

    private func place(_ statement: RawStatement, _ column: CInt) throws(JournalError) -> RecordPlace {
        guard let sequence = UInt64(exactly: statement.number(column)),
            let part = UInt32(exactly: statement.number(column + 1))
        else { throw JournalError.damaged(path, "a record has an impossible place") }
        return RecordPlace(sequence: sequence, part: part)
    }

    private var brokenName: JournalError { .damaged(path, "the name of a loop is not what was written") }

    private static func checksum(_ name: String) -> Int64 {
        var sum = RowChecksum()
        sum.add(name)
        return sum.value
    }
}
