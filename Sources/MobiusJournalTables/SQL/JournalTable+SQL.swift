package import MobiusJournal

// The tables in SQL, but for `epochs` and `runs`, whose columns each database has of its own.
extension JournalTable {
    /// Its name in SQL, if journals that earlier builds have made may be without it; `nil` for others.
    package var laterName: String? { self == .pausedPools ? "paused_pools" : nil }

    /// The statement that reads its rows.
    package func select(_ shard: Int64) -> String {
        let (name, columns, order) =
            switch self {
            case .epochs: ("epochs", "epoch, build", "epoch")
            case .loops: ("loops", "id, name, first_sequence, first_part, checksum", "id")
            case .kinds: ("kinds", "id, type, version, content_type, checksum", "id")
            case .runs:
                (
                    "runs", "loop, sequence, part, epoch, last_sequence, last_part, count, content, checksum",
                    "loop, sequence, part"
                )
            case .snapshots:
                ("snapshots", "loop, sequence, part, kind, model, hash, pending, checksum", "loop, id")
            case .outsideKeys:
                ("outside_keys", "loop, key, sequence, checksum, mark", "loop, sequence, key")
            case .replies: ("replies", "loop, sequence, kind, content, checksum", "loop, sequence")
            case .deadLetters:
                (
                    "dead_letters",
                    "loop, sequence, effect_index, failures, round, time, kind, effect, reason, checksum",
                    "loop, id"
                )
            case .requeued: ("requeued", "loop, sequence, effect_index", "id")
            case .crashes:
                (
                    "crashes",
                    "loop, source, flags, replayed, kind, event, count, epoch, time, build, checksum", "id"
                )
            case .endedLoops:
                ("ended_loops", "loop, sequence, time, again, outstanding, removing, checksum", "loop")
            case .begunLoops: ("begun_loops", "loop, sequence, checksum", "loop")
            case .idleLoops: ("idle_loops", "loop, sequence, time, checksum", "loop")
            case .history: ("history", "loop, sequence, part, time, checksum", "id")
            case .pausedPools: ("paused_pools", "pool, name, why, since, checksum", "pool")
            }
        return "SELECT \(columns) FROM \(name) WHERE shard = \(shard) ORDER BY \(order)"
    }

    /// The statement that inserts a row: the shard, the columns, and what the store adds.
    package var insert: StaticString {
        switch self {
        case .epochs: "INSERT INTO epochs (shard, epoch, build, checksum) VALUES ($1, $2, $3, $4)"
        case .loops:
            """
            INSERT INTO loops (shard, id, name, first_sequence, first_part, checksum)
            VALUES ($1, $2, $3, $4, $5, $6)
            """
        case .kinds:
            """
            INSERT INTO kinds (shard, id, type, version, content_type, checksum) VALUES ($1, $2, $3, $4, $5, $6)
            """
        case .runs:
            """
            INSERT INTO runs (shard, loop, sequence, part, epoch, last_sequence, last_part, count, content, checksum)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
            """
        case .snapshots:
            """
            INSERT INTO snapshots (shard, loop, sequence, part, kind, model, hash, pending, checksum, id)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
            """
        case .outsideKeys:
            """
            INSERT INTO outside_keys (shard, loop, key, sequence, checksum, mark) VALUES ($1, $2, $3, $4, $5, $6)
            """
        case .replies:
            "INSERT INTO replies (shard, loop, sequence, kind, content, checksum) VALUES ($1, $2, $3, $4, $5, $6)"
        case .deadLetters:
            """
            INSERT INTO dead_letters (shard, loop, sequence, effect_index, failures, round, time, kind, effect,
                reason, checksum, id)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
            """
        case .requeued:
            "INSERT INTO requeued (shard, loop, sequence, effect_index, id) VALUES ($1, $2, $3, $4, $5)"
        case .crashes:
            """
            INSERT INTO crashes (shard, loop, source, flags, replayed, kind, event, count, epoch, time, build,
                checksum, id)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
            """
        case .endedLoops:
            """
            INSERT INTO ended_loops (shard, loop, sequence, time, again, outstanding, removing, checksum)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
            """
        case .begunLoops: "INSERT INTO begun_loops (shard, loop, sequence, checksum) VALUES ($1, $2, $3, $4)"
        case .idleLoops:
            "INSERT INTO idle_loops (shard, loop, sequence, time, checksum) VALUES ($1, $2, $3, $4, $5)"
        case .history:
            """
            INSERT INTO history (shard, loop, sequence, part, time, checksum, id)
            VALUES ($1, $2, $3, $4, $5, $6, $7)
            """
        case .pausedPools:
            "INSERT INTO paused_pools (shard, pool, name, why, since, checksum) VALUES ($1, $2, $3, $4, $5, $6)"
        }
    }

    /// The parameters of ``insert``: where rows are only ordered, `serial` is their number.
    package func values(_ row: [JournalCell], shard: Int64, serial: Int64) -> [SQLStatement.Value] {
        var values: [SQLStatement.Value] = [.number(shard)]
        for (cell, column) in zip(row, columns) {
            switch cell {
            case .number(let number): values.append(.number(number))
            case .bytes(let bytes): values.append(column == .text ? .utf8(bytes) : .bytes(bytes))
            }
        }
        switch self {
        case .snapshots, .deadLetters, .requeued, .crashes, .history: values.append(.number(serial))
        default: break
        }
        return values
    }
}
