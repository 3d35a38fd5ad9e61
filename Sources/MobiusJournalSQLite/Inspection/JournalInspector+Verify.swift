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
            var verification = Verification(path: file.shown)
            verification.check(.tail) { report throws in
                if let lost = try lostTail(database) { report.add(.tail, nil, nil, lost) }
            }
            verification.run(database, progress)
            return verification.report
        }
    }
}

/// The steps of ``JournalInspector/verify(_:)``.
///
/// Each step catches what it throws, so that the next ones run.
struct Verification {
    let path: String
    var report = JournalReport()

    init(path: String) {
        self.path = path
    }

    mutating func run(_ database: Database, _ progress: (Int, Int) -> Void) {
        check(.file) { report throws in
            try database.visit("PRAGMA quick_check(20)") { row in
                let line = row.text(0) ?? ""
                if line != "ok" { report.add(.file, nil, nil, "SQLite's check reports: \(line)") }
                return true
            }
        }
        check(.file) { report throws in try Self.findMissing(database, &report) }
        check(.row) { [path] _ in _ = try Epochs.all(database, path: path) }
        // Without these tables no row can be decoded.
        var contents: StoredJournal?
        check(.row) { [path] _ in contents = try StoredJournal(database, path: path) }
        guard var contents else { return }
        var loops: [(loop: LoopID, number: Int64)] = []
        check(.row) { _ in loops = try contents.loops.all(database) }
        report.loops = loops.count
        check(.row) { report throws in try Self.findOrphans(database, &report) }
        var total = 0
        check(.file) { _ in
            total = Int(try database.number("SELECT ifnull(sum(count), 0) FROM runs"))
        }
        for (loop, number) in loops {
            check(.row, loop) { report throws in
                guard let numbered = try contents.loops.find(loop, database),
                    try !EndedLoopTable.isRemoving(loop: number, shard: Database.shard, database)
                else { return }
                let verification = LoopVerification(loop: loop, numbered: numbered, contents: contents)
                try verification.run(database, &report) { progress($0, total) }
            }
            check(.table, loop) { _ in try Self.checkTables(loop, number, contents: &contents, database) }
        }
        check(.table) { _ in _ = try contents.crashes(database) }
        progress(total, total)
    }

    /// Runs one step; an error that it throws becomes a finding.
    mutating func check(
        _ kind: JournalReport.Finding.Kind, _ loop: LoopID? = nil, _ step: (inout JournalReport) throws -> Void
    ) {
        do {
            try step(&report)
        } catch let error as JournalError {
            report.add(kind, loop, nil, error.description)
        } catch {
            report.add(.file, loop, nil, "SQLite cannot read the file: \(error).")
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

    private static func checkTables(
        _ loop: LoopID, _ number: Int64, contents: inout StoredJournal, _ database: Database
    ) throws {
        _ = try OutsideKeyTable.newest(.max, loop: number, database, path: contents.path)
        var after: EffectID?
        repeat {
            after =
                try contents.deadLetters(
                    of: loop, after: after, limit: 100, bytes: .max, total: .max, database
                ).last?.letter.id
        } while after != nil
    }
}
