package import MobiusJournal
package import MobiusWire

/// The steps that verify what is in the tables: each reports what it throws, so that the next ones run.
package struct Verification {
    /// The findings so far.
    package var report = JournalReport()
    private let session: any JournalDatabase
    private let shard: Int64
    private let isLocal: Bool
    private let makeSources: () throws -> any SourceSet

    /// Begins a verification.
    ///
    /// - Parameters:
    ///   - isLocal: Whether each error is a finding; otherwise only damage is, and others are thrown.
    ///   - makeSources: Makes an empty set for each loop.
    package init(
        _ session: any JournalDatabase, shard: Int64, isLocal: Bool, makeSources: @escaping () throws -> any SourceSet
    ) {
        (self.session, self.shard, self.isLocal) = (session, shard, isLocal)
        self.makeSources = makeSources
    }

    /// Verifies all tables.
    ///
    /// - Parameters:
    ///   - total: The number of records.
    ///   - progress: Called repeatedly with the number of records read and the total.
    ///   - others: Checks of the database's own, with all loops.
    package mutating func run(
        total: Int, _ progress: (_ done: Int, _ total: Int) -> Void,
        others: ([LoopID], inout JournalReport) throws -> Void
    ) throws(JournalError) {
        let (session, shard) = (session, shard)
        try check(.row) { _ in _ = try session.epochs(shard: shard) }
        // Without the kinds no row can be decoded.
        var contents: Contents?
        try check(.row) { _ in contents = try Contents(shard: shard, session) }
        guard var contents else { return }
        var loops: [(loop: LoopID, number: Int64)] = []
        try check(.row) { _ in loops = try contents.loops.all(session) }
        report.loops = loops.count
        try check(.row) { report in try others(loops.map(\.loop), &report) }
        for (loop, number) in loops {
            let makeSources = makeSources
            try check(.row, loop) { report in
                guard let numbered = try contents.loops.find(loop, session),
                    try !EndedLoopTable.isRemoving(loop: number, shard: shard, session)
                else { return }
                let verification = LoopVerification(
                    loop: loop, numbered: numbered, contents: contents, session: session, makeSources: makeSources)
                try verification.run(&report) { progress($0, total) }
            }
            try check(.table, loop) { _ in
                _ = try session.newestKeys(.max, loop: number, shard: shard)
                var after: EffectID?
                repeat {
                    after =
                        try contents.deadLetters(
                            of: loop, after: after, limit: 100, bytes: .max, total: .max, session
                        ).last?.letter.id
                } while after != nil
            }
        }
        try check(.table) { _ in _ = try contents.crashes(session) }
        try check(.table) { _ in _ = try EndedLoopTable.all(shard: shard, session) }
        try check(.table) { _ in try HistoryTable.check(shard: shard, session) }
        try check(.table) { _ in
            if try session.hasTable("paused_pools") { _ = try PausedPoolTable.all(shard: shard, session) }
        }
        try check(.table) { _ in
            _ = try IdleTable.totals(shard: shard, session)
            _ = try session.activeLoops(shard: shard)
        }
        progress(total, total)
    }

    /// Runs one step; damage that it throws becomes a finding.
    package mutating func check(
        _ kind: JournalReport.Finding.Kind, _ loop: LoopID? = nil, _ step: (inout JournalReport) throws -> Void
    ) throws(JournalError) {
        do {
            try step(&report)
        } catch let error as JournalError {
            guard isLocal || error.code == .damaged else { throw error }
            report.add(kind, loop, nil, error.description)
        } catch {
            guard isLocal else { throw JournalError(.notReadable, "The journal cannot be read.", underlying: error) }
            report.add(.file, loop, nil, "The file cannot be read: \(error).")
        }
    }
}
