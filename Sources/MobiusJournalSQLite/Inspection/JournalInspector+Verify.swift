public import MobiusJournal
import MobiusJournalTables
import MobiusWire

extension JournalInspector {
    /// Reads the whole journal and reports everything that is damaged or inconsistent.
    ///
    /// It finds a lost tail, broken rows, missing records, sources that were applied twice, records about effects that
    /// were never requested or had ended, snapshots that contradict the records, missing outside keys, and the findings
    /// of SQLite's own check. It does not replay the loops, because that needs their program.
    ///
    /// It takes about two microseconds per record, sorts the sources in temporary files, and continues after a finding.
    ///
    /// - Parameter progress: Called repeatedly with the number of records read and the total.
    /// - Throws: ``JournalError`` with code `held` when a closed journal was written meanwhile. Damage is not thrown
    ///   but reported.
    public func verify(
        _ progress: (_ done: Int, _ total: Int) -> Void = { _, _ in }
    ) throws(JournalError) -> JournalReport {
        try readRaw { database in
            var verification = Verification(database, shard: Database.shard, isLocal: true) { try SourceSorter() }
            try verification.check(.tail) { report throws in
                if let lost = try lostTail(database) { report.add(.tail, nil, nil, lost) }
            }
            try verification.check(.file) { report throws in
                try database.visit("PRAGMA quick_check(20)") { row in
                    let line = row.text(0) ?? ""
                    if line != "ok" { report.add(.file, nil, nil, "SQLite's check reports: \(line)") }
                    return true
                }
            }
            try verification.check(.file) { report throws in try Self.findMissing(database, &report) }
            var total = 0
            try verification.check(.file) { _ in
                total = Int(try database.number("SELECT ifnull(sum(count), 0) FROM runs"))
            }
            try verification.run(total: total, progress) { _, report in
                try Self.findOrphans(database, &report)
            }
            return verification.report
        }
    }

    private static func findMissing(_ database: Database, _ report: inout JournalReport) throws {
        let names = Set(try database.rows("SELECT name FROM sqlite_master") { $0.text(0) ?? "" })
        for name in Schema.names where !names.contains(name) {
            report.add(.file, nil, nil, "The table or index \(name) is missing.")
        }
    }

    private static func findOrphans(_ database: Database, _ report: inout JournalReport) throws {
        try database.visit(
            "SELECT sequence FROM runs WHERE id >> \(RecordBatch.bits) NOT IN (SELECT id FROM loops) LIMIT 20"
        ) { row in
            let sequence = UInt64(bitPattern: row.number(0))
            report.add(.row, nil, sequence, "A row of records near event \(sequence) belongs to no loop.")
            return true
        }
    }
}
