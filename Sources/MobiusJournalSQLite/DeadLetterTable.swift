import MobiusJournal
import MobiusWire

/// The effects that have failed finally and were neither requeued nor dropped.
struct DeadLetterTable {
    private static let columns = "sequence, effect_index, failures, round, time, kind, effect, reason, checksum"

    // Per loop; only for loops that this process has counted.
    private var counts: [Int64: Int] = [:]

    /// The numbers of the loops that have letters, and how many.
    static func counts(_ database: Database) throws -> [(loop: Int64, count: Int)] {
        try database.rows("SELECT loop, count(*) FROM dead_letters GROUP BY loop") { row in
            (row.number(0), Int(row.number(1)))
        }
    }

    // MARK: Writing, in the current transaction

    /// Applies a note on a dead letter, and deletes the oldest letter above the limit.
    ///
    /// Ignores other notes.
    mutating func apply(
        _ note: EffectNote, to effect: EffectID, loop: Int64, _ database: Database, kinds: inout KindInterner,
        limit: Int
    ) throws {
        switch note {
        case .deadLettered(let letter):
            var count = try remove(effect, loop: loop, database) + 1
            try Self.insert(letter, loop: loop, database, kinds: &kinds)
            if count > limit {
                try database.run(
                    "DELETE FROM dead_letters WHERE id = (SELECT min(id) FROM dead_letters WHERE loop = ?)", [loop])
                count -= 1
            }
            counts[loop] = count
        case .requeued:
            counts[loop] = try remove(effect, loop: loop, database)
            try RequeuedTable.insert(effect, loop: loop, database, limit: limit)
        case .dropped:
            counts[loop] = try remove(effect, loop: loop, database)
            try RequeuedTable.remove(effect, loop: loop, database)
        case .ended, .started, .retried, .loopEnded, .remarked: break
        }
    }

    /// Removes the letter of an effect; returns how many the loop has left.
    private func remove(_ effect: EffectID, loop: Int64, _ database: Database) throws -> Int {
        let count = try counts[loop] ?? Self.count(loop: loop, database)
        try database.run(
            "DELETE FROM dead_letters WHERE loop = ? AND sequence = ? AND effect_index = ?",
            [loop, effect.sequence, effect.index])
        return count - database.changes
    }

    private static func insert(
        _ letter: DeadLetter, loop: Int64, _ database: Database, kinds: inout KindInterner
    ) throws {
        let kind = Int64(try kinds.number(letter.effect.kind, database))
        try database.run(
            "INSERT INTO dead_letters (loop, \(columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [
                loop, letter.id.sequence, letter.id.index, letter.failures, letter.round, letter.time.milliseconds,
                kind,
                letter.effect.bytes, letter.reason, RowChecksum.deadLetter(letter, loop: loop, kind: kind),
            ])
    }

    // MARK: Reading

    /// A loop's dead letters after the effect `after`, in the order of their effects.
    static func letters(
        of loop: LoopID, number: Int64, after: EffectID?, limit: Int, _ database: Database, kinds: KindInterner,
        path: String
    ) throws -> [DeadLetter] {
        var letters: [DeadLetter] = []
        try visit(columns, number: number, after: after, limit: limit, database) { row in
            letters.append(try current(row, of: loop, number: number, kinds: kinds, path: path))
            return true
        }
        return letters
    }

    /// Visits a loop's rows after the effect `after` until `visit` returns `false`.
    static func visit(
        _ columns: String, number: Int64, after: EffectID?, limit: Int, _ database: Database,
        _ visit: (Statement) throws -> Bool
    ) throws {
        try database.visit(
            """
            SELECT \(columns) FROM dead_letters WHERE loop = ? AND (sequence, effect_index) > (?, ?)
            ORDER BY sequence, effect_index LIMIT ?
            """,
            [
                number, after.map { Int64(bitPattern: $0.sequence) } ?? -1, after.map { Int64($0.index) } ?? -1, limit,
            ], visit)
    }

    /// The dead letter of an effect.
    static func letter(
        of id: EffectID, number: Int64, _ database: Database, kinds: KindInterner, path: String
    ) throws -> DeadLetter? {
        try database.first(
            "SELECT \(columns) FROM dead_letters WHERE loop = ? AND sequence = ? AND effect_index = ?",
            [number, id.sequence, id.index]
        ) { try current($0, of: id.loop, number: number, kinds: kinds, path: path) }
    }

    /// The number of a loop's dead letters.
    static func count(loop: Int64, _ database: Database) throws -> Int {
        Int(
            try database.number(
                "SELECT count(*) FROM dead_letters INDEXED BY dead_letters_age WHERE loop = ?", [loop]))
    }

    private static func current(
        _ statement: Statement, of loop: LoopID, number: Int64, kinds: KindInterner, path: String
    ) throws -> DeadLetter {
        let letter = try letter(statement, of: loop, effectAt: 6, kinds: kinds, path: path)
        guard RowChecksum.deadLetter(letter, loop: number, kind: statement.number(5)) == statement.number(8) else {
            throw JournalError.damaged(path, "a dead letter of loop \(loop) is not what was written")
        }
        return letter
    }

    /// Decodes a row: its numbers are columns 0 to 5; its effect is column `column`, followed by its reason.
    static func letter(
        _ statement: Statement, of loop: LoopID, effectAt column: Int32, kinds: KindInterner, path: String
    ) throws -> DeadLetter {
        guard let reason = statement.text(column + 1) else {
            throw JournalError.damaged(path, "the reason of a dead letter is not text")
        }
        return DeadLetter(
            id: EffectID(
                loop: loop, sequence: UInt64(bitPattern: statement.number(0)),
                index: UInt32(truncatingIfNeeded: statement.number(1))),
            effect: Payload(
                kind: try kinds.kind(UInt64(bitPattern: statement.number(5))), bytes: Array(statement.bytes(column))),
            reason: reason, failures: UInt32(truncatingIfNeeded: statement.number(2)),
            round: UInt32(truncatingIfNeeded: statement.number(3)),
            time: WallTime(milliseconds: statement.number(4)))
    }
}
