package import MobiusJournal
package import MobiusWire

/// The facts of loops, by loop and by value, and which of them this build has written.
///
/// All of it follows from records: a build that finds none, or those of another build, writes it anew. So its rows have no checksums,
/// a copy does not take them along, and a build that has no such tables may write the journal.
package enum FactTable {
    // MARK: Writing

    /// Changes the facts of a loop.
    package static func apply(_ change: FactChange, _ commit: inout Commit) {
        let loop = SQLStatement.Value.text(change.loop.name)
        if change.replaces {
            commit.add("DELETE FROM facts WHERE shard = $1 AND loop = $2", [.number(commit.shard), loop])
        }
        for name in change.removed {
            commit.add(
                "DELETE FROM facts WHERE shard = $1 AND loop = $2 AND fact = $3",
                [.number(commit.shard), loop, .text(name)])
        }
        for fact in change.set {
            commit.add(
                """
                INSERT INTO facts (shard, loop, fact, value) VALUES ($1, $2, $3, $4)
                ON CONFLICT (shard, loop, fact) DO UPDATE SET value = excluded.value
                """, [.number(commit.shard), loop, .text(fact.name), .bytes(fact.key)])
        }
    }

    /// Deletes the facts of the loop with this number, whose name is still there.
    package static func delete(loop: Int64, _ commit: inout Commit) {
        commit.add(
            """
            DELETE FROM facts WHERE shard = $1 AND loop = (SELECT name FROM loops WHERE shard = $1 AND id = $2)
            """, [.number(commit.shard), .number(loop)])
    }

    /// Replaces the facts of those loops that had no event since; see ``JournalStore/rebuild(_:step:)``.
    package static func rebuild(
        _ facts: [RebuiltFacts], _ step: FactStep?, epoch: UInt64, build: String, _ session: any JournalDatabase,
        loops: inout Loops, _ commit: inout Commit
    ) throws(JournalError) {
        for facts in facts where try loops.find(facts.loop, session)?.last?.sequence == facts.sequence {
            apply(FactChange(facts.loop, replacedBy: facts.facts), &commit)
        }
        guard let step else { return }
        let (last, isComplete): (String, Int64) =
            switch step.progress {
            case .upTo(let loop): (loop?.name ?? "", 0)
            case .complete: ("", 1)
            }
        // A build that has no such tables may have removed loops.
        commit.add(
            """
            DELETE FROM facts WHERE shard = $1 AND loop > $2 AND (loop <= $3 OR $4 = 1)
                AND NOT EXISTS (SELECT 1 FROM loops l WHERE l.shard = facts.shard AND l.name = facts.loop)
            """, [.number(commit.shard), .text(step.after?.name ?? ""), .text(last), .number(isComplete)])
        commit.add(
            """
            INSERT INTO fact_progress (shard, epoch, build, last, complete) VALUES ($1, $2, $3, $4, $5)
            ON CONFLICT (shard) DO UPDATE SET epoch = excluded.epoch, build = excluded.build, last = excluded.last,
                complete = excluded.complete
            """,
            [.number(commit.shard), .bits(epoch), .text(build), .text(last), .number(isComplete)])
    }

    // MARK: Reading

    /// The progress of this build, if no other has opened the journal since.
    ///
    /// - Parameter epoch: That of the caller.
    package static func progress(
        epoch: UInt64, build: String, shard: Int64, _ session: any JournalDatabase
    ) throws(JournalError) -> FactProgress {
        let row = try session.read(
            "SELECT epoch, last, complete FROM fact_progress WHERE shard = $1 AND build = $2",
            [.number(shard), .text(build)])
        guard row.rows > 0 else { return .upTo(nil) }
        let since = UInt64(bitPattern: row.number(0, 0))
        for opening in try session.epochs(shard: shard) {
            let number = UInt64(bitPattern: opening.epoch)
            guard number < since || number >= epoch || opening.build == build else { return .upTo(nil) }
        }
        return row.number(0, 2) == 1 ? .complete : .upTo(row.text(0, 1).flatMap { LoopID($0) })
    }

    /// The number of loops of which a fact is in a range, at most `most`.
    package static func count(
        _ fact: String, in range: FactRange, atMost most: Int, shard: Int64, _ session: any JournalDatabase
    ) throws(JournalError) -> Int {
        let rows = try session.read(
            """
            SELECT count(*) FROM (
                SELECT 1 FROM facts WHERE shard = $1 AND fact = $2 AND value >= $3 AND value < $4 LIMIT $5) AS found
            """,
            [
                .number(shard), .text(fact), .bytes(range.lower), .bytes(range.upper ?? end),
                .number(Int64(clamping: most)),
            ])
        return Int(rows.number(0, 0))
    }

    /// Loops of which a fact is in a range, by its value and their names.
    package static func entries(
        _ fact: String, in range: FactRange, after: FactPlace?, descending: Bool, limit: Int, shard: Int64,
        _ session: any JournalDatabase
    ) throws(JournalError) -> [FactEntry] {
        // No loop's name is empty: it stands before all loops with the value.
        let bounds = (FactPlace.Bound(range.lower, ""), FactPlace.Bound(range.upper ?? end, ""))
        let place = after.map { FactPlace.Bound($0.key, $0.loop.name) }
        let begin = descending ? min(bounds.1, place ?? bounds.1) : max(bounds.0, place ?? bounds.0)
        let rows = try session.read(
            descending ? descendingPage : ascendingPage,
            [
                .number(shard), .text(fact), .bytes(begin.key), .text(begin.name),
                .bytes(descending ? range.lower : range.upper ?? end), .number(Int64(clamping: limit)),
            ])
        return try entries(rows, session)
    }

    // The start as a pair, because no index finds its second half in a condition of its own.
    private static let ascendingPage: StaticString = """
        SELECT found.loop, g.fact, g.value, found.value FROM (
            SELECT value, loop FROM facts WHERE shard = $1 AND fact = $2 AND (value, loop) > ($3, $4) AND value < $5
            ORDER BY value, loop LIMIT $6) AS found
        CROSS JOIN facts g WHERE g.shard = $1 AND g.loop = found.loop ORDER BY found.value, found.loop, g.fact
        """
    private static let descendingPage: StaticString = """
        SELECT found.loop, g.fact, g.value, found.value FROM (
            SELECT value, loop FROM facts WHERE shard = $1 AND fact = $2 AND (value, loop) < ($3, $4) AND value >= $5
            ORDER BY value DESC, loop DESC LIMIT $6) AS found
        CROSS JOIN facts g WHERE g.shard = $1 AND g.loop = found.loop ORDER BY found.value DESC, found.loop DESC, g.fact
        """

    /// Loops with facts, by their names.
    package static func entries(
        prefix: String, after: LoopID?, limit: Int, shard: Int64, _ session: any JournalDatabase
    ) throws(JournalError) -> [FactEntry] {
        // Behind a name comes first what has one byte more.
        let behind = after.map { $0.name + "\u{0}" } ?? ""
        let start = behind.utf8.lexicographicallyPrecedes(prefix.utf8) ? prefix : behind
        let rows = try session.read(
            """
            SELECT found.loop, g.fact, g.value, NULL FROM (
                SELECT DISTINCT loop FROM facts WHERE shard = $1 AND loop >= $2 ORDER BY loop LIMIT $3) AS found
            CROSS JOIN facts g WHERE g.shard = $1 AND g.loop = found.loop ORDER BY found.loop, g.fact
            """, [.number(shard), .text(start), .number(Int64(clamping: limit))])
        let found = try entries(rows, session)
        return Array(found.prefix { $0.loop.name.utf8.starts(with: prefix.utf8) })
    }

    /// Entries of rows with a loop, a fact of it with its value, and the value by which the loop was found.
    private static func entries(_ rows: Rows, _ session: any JournalDatabase) throws(JournalError) -> [FactEntry] {
        var found: [FactEntry] = []
        for row in 0..<rows.rows {
            guard let loop = rows.text(row, 0).flatMap({ LoopID($0) }), let fact = rows.text(row, 1) else {
                throw .damaged(session.shown, "the row of a fact is not what was written")
            }
            if found.last?.loop != loop {
                found.append(FactEntry(loop: loop, key: rows.isNull(row, 3) ? [] : rows.array(row, 3), facts: [:]))
            }
            found[found.count - 1].facts[fact] = rows.array(row, 2)
        }
        return found
    }

    /// Behind all values.
    private static let end: [UInt8] = [0xff]
}

extension FactPlace {
    /// A place between values of a fact, which need not be that of a loop.
    fileprivate struct Bound: Comparable {
        let key: [UInt8]
        let name: String

        init(_ key: [UInt8], _ name: String) { (self.key, self.name) = (key, name) }

        static func < (one: Self, other: Self) -> Bool {
            if one.key != other.key { return one.key.lexicographicallyPrecedes(other.key) }
            return one.name.utf8.lexicographicallyPrecedes(other.name.utf8)
        }
    }
}
