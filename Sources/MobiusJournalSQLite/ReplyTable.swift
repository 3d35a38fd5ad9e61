import MobiusJournal
import MobiusWire

/// What `update` told the senders of events from outside, by loop and event; kept as long as the events' keys.
///
/// Earlier versions of this format have no such table: it is added when the journal is opened for writing. Rows of
/// events whose key was applied again stay until the keys of their age are deleted.
enum ReplyTable {
    /// Added to journals that lack it.
    ///
    /// `kind` is the payload kind of an answer; 0 for a refusal, whose `content` is its reason.
    static let definition = """
        CREATE TABLE IF NOT EXISTS replies (
            loop INTEGER NOT NULL, sequence INTEGER NOT NULL, kind INTEGER NOT NULL, content BLOB NOT NULL,
            checksum INTEGER NOT NULL, PRIMARY KEY (loop, sequence)) WITHOUT ROWID;
        """

    static func insert(
        _ reply: SenderReply, at sequence: UInt64, loop: Int64, _ database: Database, kinds: inout KindInterner
    ) throws {
        let (kind, content): (Int64, [UInt8]) =
            switch reply {
            case .answer(let payload): (Int64(try kinds.number(payload.kind, database)), payload.bytes)
            case .refusal(let reason): (0, Array(reason.utf8))
            }
        let sequence = Int64(bitPattern: sequence)
        let sum = content.withUnsafeBytes { RowChecksum.reply($0, kind: kind, loop: loop, sequence: sequence) }
        try database.run(
            "INSERT OR REPLACE INTO replies (loop, sequence, kind, content, checksum) VALUES (?, ?, ?, ?, ?)",
            [loop, sequence, kind, content, sum])
    }

    /// What the sender of an event was told; `nil` for nothing, and in a journal without the table.
    static func reply(
        at sequence: Int64, loop: Int64, _ database: Database, kinds: KindInterner, path: String
    ) throws -> SenderReply? {
        // An inspector may read a journal that no process of this version has opened.
        guard try database.hasTable("replies") else { return nil }
        return try database.first(
            "SELECT kind, content, checksum FROM replies WHERE loop = ? AND sequence = ?", [loop, sequence]
        ) { row in
            let (kind, content) = (row.number(0), row.bytes(1))
            guard RowChecksum.reply(content, kind: kind, loop: loop, sequence: sequence) == row.number(2) else {
                throw JournalError.damaged(path, "what the sender of an event was told is not what was written")
            }
            guard kind != 0 else { return .refusal(String(decoding: content, as: UTF8.self)) }
            return .answer(Payload(kind: try kinds.kind(UInt64(bitPattern: kind)), bytes: Array(content)))
        }
    }

    /// Deletes up to `budget` rows of events before `sequence`; returns whether none is left.
    static func delete(before sequence: Int64, of loop: Int64, _ budget: Int, _ database: Database) throws -> Bool {
        try database.run(
            """
            DELETE FROM replies WHERE loop = ?1 AND sequence < min(?2, coalesce(
                (SELECT sequence FROM replies WHERE loop = ?1 AND sequence < ?2 ORDER BY sequence LIMIT 1 OFFSET ?3), ?2))
            """, [loop, sequence, budget])
        return database.changes < budget
    }
}
