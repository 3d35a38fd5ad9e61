import MobiusJournal
import MobiusWire

/// The payload kinds of a journal, and their rows.
struct KindInterner {
    /// What the rows say.
    private(set) var numbered: NumberedKinds

    init(_ database: Database, path: String) throws {
        numbered = NumberedKinds(path: path)
        try database.visit("SELECT id, type, version, content_type, checksum FROM kinds ORDER BY id") { row in
            try numbered.add(
                number: row.number(0), type: row.text(1), version: row.number(2), contentType: row.text(3),
                checksum: row.number(4))
            return true
        }
    }

    /// The kind with this number.
    func kind(_ number: UInt64) throws(JournalError) -> PayloadKind { try numbered.kind(number) }

    /// The number of a kind; a new kind is inserted.
    mutating func number(_ kind: PayloadKind, _ database: Database) throws -> UInt64 {
        if let number = numbered.number(of: kind) { return number }
        try database.run(
            "INSERT INTO kinds (id, type, version, content_type, checksum) VALUES (?, ?, ?, ?, ?)",
            [numbered.count + 1, kind.type, Int64(kind.version), kind.contentType, RowChecksum.kind(kind)])
        numbered.add(kind)
        return UInt64(numbered.count)
    }

    /// Whether a kind is stored.
    func contains(_ kind: PayloadKind) -> Bool { numbered.contains(kind) }
}
