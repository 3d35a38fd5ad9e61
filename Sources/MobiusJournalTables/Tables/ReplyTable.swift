package import MobiusJournal
package import MobiusWire

/// The replies of `update` to the senders of events from outside, by loop and event; kept as long as the events' keys.
///
/// Rows of events whose key was applied again stay until the keys of their age are deleted.
package enum ReplyTable {
    /// Stores what the sender of an event was told; kind 0 is a refusal, whose content is its reason.
    package static func insert(
        _ reply: SenderReply, at sequence: UInt64, loop: Int64, kinds: inout Kinds, _ commit: inout Commit
    ) {
        let (kind, content): (Int64, [UInt8]) =
            switch reply {
            case .answer(let payload): (Int64(kinds.number(payload.kind, &commit)), payload.bytes)
            case .refusal(let reason): (0, Array(reason.utf8))
            }
        let sequence = Int64(bitPattern: sequence)
        let sum = content.withUnsafeBytes { RowChecksum.reply($0, kind: kind, loop: loop, sequence: sequence) }
        commit.add(
            """
            INSERT INTO replies (shard, loop, sequence, kind, content, checksum) VALUES ($1, $2, $3, $4, $5, $6)
            ON CONFLICT (shard, loop, sequence)
            DO UPDATE SET kind = excluded.kind, content = excluded.content, checksum = excluded.checksum
            """,
            [
                .number(commit.shard), .number(loop), .number(sequence), .number(kind), .bytes(content),
                .number(sum),
            ])
    }

    /// Returns the reply to the sender of an event; `nil` for none.
    package static func reply(
        at sequence: Int64, loop: Int64, shard: Int64, kinds: Kinds, _ session: any JournalDatabase
    ) throws(JournalError) -> SenderReply? {
        let row = try session.read(
            "SELECT kind, content, checksum FROM replies WHERE shard = $1 AND loop = $2 AND sequence = $3",
            [.number(shard), .number(loop), .number(sequence)])
        guard row.rows > 0 else { return nil }
        let (kind, content) = (row.number(0, 0), row.array(0, 1))
        let sum = content.withUnsafeBytes { RowChecksum.reply($0, kind: kind, loop: loop, sequence: sequence) }
        guard sum == row.number(0, 2) else {
            throw JournalError.damaged(
                session.shown, "what the sender of an event was told is not what was written")
        }
        guard kind != 0 else { return .refusal(String(decoding: content, as: UTF8.self)) }
        return .answer(Payload(kind: try kinds.kind(kind), bytes: content))
    }
}
