import MobiusJournal
import MobiusWire

extension DeadLetterTable {
    // The effect's length comes first, so that SQLite reads only the length of a large effect.
    private static let headColumns = """
        sequence, effect_index, failures, round, time, kind, length(effect),
        CASE WHEN length(effect) <= \(DeadLetterHead.maximumBytes) THEN effect END, reason, checksum
        """

    /// A loop's dead letters after the effect `after`, as a list shows them; subtracts the sizes of their effects from
    /// `bytes`.
    static func heads(
        of loop: LoopID, number: Int64, after: EffectID?, limit: Int, bytes: inout Int, _ database: Database,
        kinds: KindInterner, path: String
    ) throws -> [DeadLetterHead] {
        var heads: [DeadLetterHead] = []
        try visit(headColumns, number: number, after: after, limit: limit, database) { row in
            let head = try current(row, of: loop, number: number, kinds: kinds, path: path)
            bytes -= head.size
            heads.append(head)
            return bytes > 0
        }
        return heads
    }

    private static func current(
        _ statement: Statement, of loop: LoopID, number: Int64, kinds: KindInterner, path: String
    ) throws -> DeadLetterHead {
        let letter = try letter(statement, of: loop, effectAt: 7, kinds: kinds, path: path)
        let head = DeadLetterHead(letter: letter, size: max(0, Int(statement.number(6))))
        if head.isWhole, RowChecksum.deadLetter(letter, loop: number, kind: statement.number(5)) != statement.number(9)
        {
            throw JournalError.damaged(path, "a dead letter of loop \(loop) is not what was written")
        }
        return head
    }
}

extension StoredJournal {
    mutating func deadLetterHeads(
        of loop: LoopID?, after: EffectID?, limit: Int, _ database: Database
    ) throws -> [DeadLetterHead] {
        let names = try loop.map { [$0] } ?? letterLoops(database).map(\.loop).sorted { $0.precedes($1) }
        var heads: [DeadLetterHead] = []
        var bytes = DeadLetterHead.maximumTotal
        for name in names {
            if let after, name.precedes(after.loop) { continue }
            guard heads.count < limit, bytes > 0, let numbered = try loops.find(name, database) else { continue }
            heads += try DeadLetterTable.heads(
                of: name, number: numbered.number, after: after?.loop == name ? after : nil,
                limit: limit - heads.count, bytes: &bytes, database, kinds: kinds, path: path)
        }
        return heads
    }
}
