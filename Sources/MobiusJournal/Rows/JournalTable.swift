package import MobiusWire

/// The tables that every store on disk keeps, for copies from one store to another.
///
/// A store reads and writes their rows as ``JournalCell``s in the order of ``columns``, whatever its own tables look like.
package enum JournalTable: String, CaseIterable, Sendable {
    case epochs, loops, kinds, runs, snapshots, outsideKeys, replies, deadLetters, requeued, crashes, endedLoops
    case begunLoops, idleLoops, history, pausedPools

    /// The type of a column's values.
    package enum Column: Sendable {
        case number, bytes
        /// UTF-8.
        case text
    }

    /// The columns.
    package var columns: [Column] {
        switch self {
        // Number, build.
        case .epochs: [.number, .text]
        // Number, name, first record, checksum.
        case .loops: [.number, .text, .number, .number, .number]
        // Number, type, version, content type, checksum.
        case .kinds: [.number, .text, .number, .text, .number]
        // Loop, first record, epoch, last record, count, content; each store has its own checksum.
        case .runs: Self.numbers(7) + [.bytes]
        // Loop, place, kind, model, hash, pending effects, checksum; in the order in which they were saved.
        case .snapshots: Self.numbers(4) + [.bytes, .number, .bytes, .number]
        // Loop, key, event, checksum, the sender's mark, which may be empty.
        case .outsideKeys: [.number, .text, .number, .number, .bytes]
        // Loop, event, kind, content, checksum.
        case .replies: Self.numbers(3) + [.bytes, .number]
        // Loop, effect, failures, round, time, kind, effect, reason, checksum; oldest first.
        case .deadLetters: Self.numbers(7) + [.bytes, .text, .number]
        // Loop, effect; oldest first.
        case .requeued: Self.numbers(3)
        // Loop, source, flags, replayed, kind, event, count, epoch, time, build, checksum; oldest first.
        case .crashes: [.number, .bytes] + Self.numbers(3) + [.bytes] + Self.numbers(3) + [.text, .number]
        // Loop, event, time, again, outstanding, removing, checksum.
        case .endedLoops: Self.numbers(7)
        // Loop, event, checksum.
        case .begunLoops: Self.numbers(3)
        // Loop, event, time, checksum.
        case .idleLoops: Self.numbers(4)
        // Loop, place, time, checksum; oldest first.
        case .history: Self.numbers(5)
        // Pool, name, reason, time, checksum.
        case .pausedPools: [.text, .text, .text, .number, .number]
        }
    }

    private static func numbers(_ count: Int) -> [Column] { [Column](repeating: .number, count: count) }
}

/// A value of a row.
package enum JournalCell: Equatable, Sendable {
    case number(Int64)
    /// Bytes, or text as UTF-8.
    case bytes([UInt8])

    /// The number; 0 for bytes.
    package var number: Int64 { if case .number(let number) = self { number } else { 0 } }

    /// The bytes; none for a number.
    package var bytes: [UInt8] { if case .bytes(let bytes) = self { bytes } else { [] } }
}

/// The names of a journal: its identity, its program and the build that made it.
package struct JournalOwner: Equatable, Sendable {
    /// Its identity.
    package var identity: JournalID
    /// Its program.
    package var application: String
    /// The build that made it.
    package var createdBy: String

    /// Describes an owner.
    package init(identity: JournalID, application: String, createdBy: String) {
        self.identity = identity
        self.application = application
        self.createdBy = createdBy
    }
}

/// A journal whose rows can be read, all of one moment.
package protocol JournalRowSource {
    /// Returns the journal's identity, program and build.
    ///
    /// - Throws: ``JournalError``: `foreign` for a journal that no coordinator has opened.
    func owner() throws(JournalError) -> JournalOwner
    /// Calls `visit` for all rows of a table, in the order that ``JournalTable`` says.
    func visit(_ table: JournalTable, _ visit: ([JournalCell]) throws -> Void) throws
}

/// A journal that is being made from rows, and is there when ``finish()`` returns.
package protocol JournalRowTarget {
    /// Adds a row of a table; the tables come in their order.
    func add(_ row: [JournalCell], to table: JournalTable) throws
    /// Ends the writing; what was written is read back before ``finish()``.
    func seal() throws
    /// Returns the rows that were written.
    func written() throws -> any JournalRowSource
    /// Verifies the journal; if it is sound, and only then, it is there, and on disk.
    func finish() throws -> JournalReport
}

/// The number and the sum of the rows of each table.
package struct JournalRowSums: Equatable, Sendable {
    private var sums: [JournalTable: (count: Int, sum: Int64)] = [:]

    /// No rows.
    package init() {}

    package static func == (one: Self, other: Self) -> Bool {
        JournalTable.allCases.allSatisfy { table in
            one.count(table) == other.count(table) && one.sums[table]?.sum == other.sums[table]?.sum
        }
    }

    /// The number of rows of a table.
    package func count(_ table: JournalTable) -> Int { sums[table]?.count ?? 0 }

    fileprivate mutating func add(_ row: [JournalCell], to table: JournalTable) {
        var sum = RowChecksum()
        let (count, last) = sums[table] ?? (0, 0)
        sum.add(last)
        for cell in row {
            switch cell {
            case .number(let number): sum.add(number)
            case .bytes(let bytes): bytes.withUnsafeBytes { sum.add($0) }
            }
        }
        sums[table] = (count + 1, sum.value)
    }
}

/// Copies a journal row by row, reads the copy back, and compares.
package enum JournalCopy {
    /// Copies all rows.
    ///
    /// - Returns: what the verification of the copy found; with findings, there is no copy.
    /// - Throws: ``JournalError``: `damaged` when a row is not what was written, or the copy is not what was read.
    package static func run(
        from source: any JournalRowSource, to target: any JournalRowTarget
    ) throws -> JournalReport {
        var read = JournalRowSums()
        for table in JournalTable.allCases {
            try source.visit(table) { row in
                read.add(row, to: table)
                try target.add(row, to: table)
            }
        }
        try target.seal()
        let written = try target.written()
        guard try sums(of: written) == read, try written.owner() == source.owner() else {
            throw JournalError(.damaged, "The copy is not what was read, so it was given up: check the target's disk.")
        }
        return try target.finish()
    }

    /// The sums of all tables of a journal.
    package static func sums(of journal: any JournalRowSource) throws -> JournalRowSums {
        var sums = JournalRowSums()
        for table in JournalTable.allCases {
            try journal.visit(table) { sums.add($0, to: table) }
        }
        return sums
    }
}
