import GRDB
import MobiusJournal
import MobiusWire

/// The payload kinds of a journal, and their rows.
struct KindInterner {
    /// What the rows say.
    private(set) var numbered: NumberedKinds

    init(_ database: Database, path: String) throws {
        numbered = NumberedKinds(path: path)
        let statement = try RawStatement(
            database, "SELECT id, type, version, content_type, checksum FROM kinds ORDER BY id")
        defer { statement.reset() }
        while try statement.next() {
            try numbered.add(
                number: statement.number(0), type: statement.text(1), version: statement.number(2),
                contentType: statement.text(3), checksum: statement.number(4))
        }
    }

    /// The kind with this number.
    func kind(_ number: UInt64) throws(JournalError) -> PayloadKind { try numbered.kind(number) }

    /// The number of a kind; a new kind is inserted.
    mutating func number(_ kind: PayloadKind, _ database: Database) throws -> UInt64 {
        if let number = numbered.number(of: kind) { return number }
        try insert(kind, database)
        numbered.add(kind)
        return UInt64(numbered.count)
    }

    // Not through GRDB's arguments, which end a text at its first NUL character.
    private func insert(_ kind: PayloadKind, _ database: Database) throws {
        let statement = try RawStatement(
            database, "INSERT INTO kinds (id, type, version, content_type, checksum) VALUES (?, ?, ?, ?, ?)")
        defer { statement.reset() }
        var (type, contentType) = (kind.type, kind.contentType)
        try type.withUTF8 { type in
            try contentType.withUTF8 { contentType in
                statement.bind(Int64(numbered.count) + 1, 1)
                statement.bindText(UnsafeRawBufferPointer(type), 2)
                statement.bind(Int64(kind.version), 3)
                statement.bindText(UnsafeRawBufferPointer(contentType), 4)
                statement.bind(RowChecksum.kind(kind), 5)
                try statement.run()
            }
        }
    }

    /// Whether a kind is stored.
    func contains(_ kind: PayloadKind) -> Bool { numbered.contains(kind) }
}
