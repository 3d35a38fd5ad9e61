package import MobiusJournal
package import MobiusWire

/// The effects that have failed finally and were neither requeued nor dropped, and those that were requeued.
package enum DeadLetterTable {
    /// Applies a note on a dead letter, and deletes the oldest above the limit; ignores other notes.
    ///
    /// - Parameter count: at least as many letters as the loop has.
    package static func apply(
        _ note: EffectNote, to effect: EffectID, loop: Int64, kinds: inout Kinds, limit: Int, count: inout Int,
        _ commit: inout Commit
    ) {
        let id: [SQLStatement.Value] = [
            .number(commit.shard), .number(loop), .bits(effect.sequence), .number(Int64(effect.index)),
        ]
        switch note {
        case .deadLettered(let letter):
            remove(id, &commit)
            insert(letter, loop: loop, kinds: &kinds, &commit)
            count += 1
            // To find the oldest takes a look at all: 20 ms for 100,000, so it is done for some at a time.
            guard count > limit + limit / 16 else { break }
            commit.add(
                """
                DELETE FROM dead_letters WHERE shard = $1 AND loop = $2 AND id <= (
                    SELECT id FROM dead_letters WHERE shard = $1 AND loop = $2 ORDER BY id DESC LIMIT 1 OFFSET $3)
                """, [.number(commit.shard), .number(loop), .number(Int64(limit))])
            count = limit
        case .requeued:
            remove(id, &commit)
            forgetRequeued(id, &commit)
            commit.add(
                """
                INSERT INTO requeued (shard, loop, sequence, effect_index, id)
                SELECT $1, $2, $3, $4, coalesce(max(id), 0) + 1 FROM requeued WHERE shard = $1
                """, id)
            commit.add(
                """
                DELETE FROM requeued WHERE shard = $1 AND id <= (SELECT max(id) FROM requeued WHERE shard = $1) - $2
                """, [.number(commit.shard), .number(Int64(limit))])
        case .dropped:
            remove(id, &commit)
            forgetRequeued(id, &commit)
        case .ended, .started, .retried, .answered, .loopEnded, .remarked: break
        }
    }

    private static func remove(_ id: [SQLStatement.Value], _ commit: inout Commit) {
        commit.add(
            """
            DELETE FROM dead_letters WHERE shard = $1 AND loop = $2 AND sequence = $3 AND effect_index = $4
            """, id)
    }

    private static func forgetRequeued(_ id: [SQLStatement.Value], _ commit: inout Commit) {
        commit.add(
            "DELETE FROM requeued WHERE shard = $1 AND loop = $2 AND sequence = $3 AND effect_index = $4", id)
    }

    private static func insert(_ letter: DeadLetter, loop: Int64, kinds: inout Kinds, _ commit: inout Commit) {
        let kind = Int64(kinds.number(letter.effect.kind, &commit))
        commit.add(
            """
            INSERT INTO dead_letters (shard, loop, id, sequence, effect_index, failures, round, time, kind, effect,
                reason, checksum)
            SELECT $1, $2, coalesce(max(id), 0) + 1, $3, $4, $5, $6, $7, $8, $9, $10, $11
            FROM dead_letters WHERE shard = $1 AND loop = $2
            """,
            [
                .number(commit.shard), .number(loop), .bits(letter.id.sequence), .number(Int64(letter.id.index)),
                .number(Int64(letter.failures)), .number(Int64(letter.round)), .number(letter.time.milliseconds),
                .number(kind), .bytes(letter.effect.bytes), .text(letter.reason),
                .number(RowChecksum.deadLetter(letter, loop: loop, kind: kind)),
            ])
    }

    // MARK: Reading

    /// A loop's dead letters after the effect `after`, in the order of their effects, with effects of at most
    /// `bytes` bytes: of larger ones only the length.
    package static func heads(
        of loop: LoopID, number: Int64, shard: Int64, after: EffectID?, limit: Int, bytes: Int, kinds: Kinds,
        _ session: any JournalDatabase
    ) throws(JournalError) -> [DeadLetterHead] {
        let rows = try session.read(
            """
            SELECT sequence, effect_index, failures, round, time, kind, length(effect),
                CASE WHEN length(effect) <= $6 THEN effect END, reason, checksum
            FROM dead_letters WHERE shard = $1 AND loop = $2 AND (sequence, effect_index) > ($3, $4)
            ORDER BY sequence, effect_index LIMIT $5
            """,
            [
                .number(shard), .number(number), .number(after.map { Int64(bitPattern: $0.sequence) } ?? -1),
                .number(after.map { Int64($0.index) } ?? -1), .number(Int64(limit)), .number(Int64(bytes)),
            ])
        var heads: [DeadLetterHead] = []
        for row in 0..<rows.rows {
            heads.append(try head(rows, row, of: loop, number: number, kinds: kinds, session))
        }
        return heads
    }

    /// The dead letter of an effect.
    package static func letter(
        of id: EffectID, number: Int64, shard: Int64, kinds: Kinds, _ session: any JournalDatabase
    ) throws(JournalError) -> DeadLetter? {
        let rows = try session.read(
            """
            SELECT sequence, effect_index, failures, round, time, kind, length(effect), effect, reason, checksum
            FROM dead_letters WHERE shard = $1 AND loop = $2 AND sequence = $3 AND effect_index = $4
            """, [.number(shard), .number(number), .bits(id.sequence), .number(Int64(id.index))])
        guard rows.rows > 0 else { return nil }
        return try head(rows, 0, of: id.loop, number: number, kinds: kinds, session).letter
    }

    /// The number of dead letters of a loop, or of all loops.
    package static func count(loop: Int64?, shard: Int64, _ session: any JournalDatabase) throws(JournalError) -> Int {
        let row =
            if let loop {
                try session.read(
                    "SELECT count(*) FROM dead_letters WHERE shard = $1 AND loop = $2",
                    [.number(shard), .number(loop)])
            } else {
                try session.read("SELECT count(*) FROM dead_letters WHERE shard = $1", [.number(shard)])
            }
        return Int(row.number(0, 0))
    }

    /// The number of dead letters of each loop that has some.
    package static func counts(shard: Int64, _ session: any JournalDatabase) throws(JournalError) -> [LoopID: Int] {
        let rows = try session.read(
            """
            SELECT l.name, d.count FROM (
                SELECT loop, count(*) AS count FROM dead_letters WHERE shard = $1 GROUP BY loop) d
            LEFT JOIN loops l ON l.shard = $1 AND l.id = d.loop
            """, [.number(shard)])
        var counts: [LoopID: Int] = [:]
        for row in 0..<rows.rows {
            guard let loop = rows.text(row, 0).flatMap({ LoopID($0) }) else {
                throw JournalError.damaged(session.shown, "a dead letter is of an unknown loop")
            }
            counts[loop] = Int(rows.number(row, 1))
        }
        return counts
    }

    /// Whether an effect was requeued and not dropped since.
    package static func wasRequeued(
        _ id: EffectID, loop: Int64, shard: Int64, _ session: any JournalDatabase
    ) throws(JournalError) -> Bool {
        try session.read(
            "SELECT 1 FROM requeued WHERE shard = $1 AND loop = $2 AND sequence = $3 AND effect_index = $4",
            [.number(shard), .number(loop), .bits(id.sequence), .number(Int64(id.index))]
        ).rows > 0
    }

    private static func head(
        _ rows: Rows, _ row: Int, of loop: LoopID, number: Int64, kinds: Kinds, _ session: any JournalDatabase
    ) throws(JournalError) -> DeadLetterHead {
        guard let reason = rows.text(row, 8) else {
            throw JournalError.damaged(session.shown, "the reason of a dead letter is not text")
        }
        let letter = DeadLetter(
            id: EffectID(
                loop: loop, sequence: UInt64(bitPattern: rows.number(row, 0)),
                index: UInt32(truncatingIfNeeded: rows.number(row, 1))),
            effect: Payload(kind: try kinds.kind(rows.number(row, 5)), bytes: rows.array(row, 7)),
            reason: reason, failures: UInt32(truncatingIfNeeded: rows.number(row, 2)),
            round: UInt32(truncatingIfNeeded: rows.number(row, 3)),
            time: WallTime(milliseconds: rows.number(row, 4)))
        let head = DeadLetterHead(letter: letter, size: Int(rows.number(row, 6)))
        let sum = RowChecksum.deadLetter(letter, loop: number, kind: rows.number(row, 5))
        guard !head.isWhole || sum == rows.number(row, 9) else {
            throw JournalError.damaged(session.shown, "a dead letter of loop \(loop) is not what was written")
        }
        return head
    }
}
