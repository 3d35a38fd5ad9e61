package import MobiusJournal
package import MobiusWire

/// The payload kinds of a shard, and their rows.
package struct Kinds {
    /// The kinds in the rows.
    package private(set) var numbered: NumberedKinds
    private let shard: Int64

    package init(shard: Int64, _ session: any JournalDatabase) throws(JournalError) {
        self.shard = shard
        numbered = NumberedKinds(path: session.shown)
        let rows = try session.read(
            "SELECT id, type, version, content_type, checksum FROM kinds WHERE shard = $1 ORDER BY id",
            [.number(shard)])
        for row in 0..<rows.rows {
            try numbered.add(
                number: rows.number(row, 0), type: rows.text(row, 1), version: rows.number(row, 2),
                contentType: rows.text(row, 3), checksum: rows.number(row, 4))
        }
    }

    /// The kind with this number.
    package func kind(_ number: Int64) throws(JournalError) -> PayloadKind {
        try numbered.kind(UInt64(bitPattern: number))
    }

    /// The number of a kind; a new kind is inserted.
    package mutating func number(_ kind: PayloadKind, _ commit: inout Commit) -> UInt64 {
        if let number = numbered.number(of: kind) { return number }
        numbered.add(kind)
        commit.add(
            "INSERT INTO kinds (shard, id, type, version, content_type, checksum) VALUES ($1, $2, $3, $4, $5, $6)",
            [
                .number(shard), .number(Int64(numbered.count)), .text(kind.type), .number(Int64(kind.version)),
                .text(kind.contentType), .number(RowChecksum.kind(kind)),
            ])
        return UInt64(numbered.count)
    }
}
