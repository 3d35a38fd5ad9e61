public import Foundation
import GRDB

/// What a journal's file says, read by somebody who shares no code with the journal.
public struct JournalAudit: Sendable {
    /// A worker's event that was applied.
    public struct Report: Hashable, Sendable {
        /// The effect, as `sequence/index`.
        public var effect: String
        /// The attempt: the epoch and the number in it.
        public var epoch: Int, number: Int
        /// The number of the report in its attempt.
        public var report: Int
    }

    /// The applied events of workers, in order.
    public let reports: [Report]
    /// The keys of the applied events from outside, in order; when history is not kept, those that are known first.
    public let keys: [String]
    /// How often the journal was opened.
    public let epochs: Int
    /// What must not be there: one source applied twice, in sentences.
    public let doubled: [String]

    /// Reads the journal, whose coordinator may be running or dead.
    public init(path: String) throws {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(10)
        let database = try DatabaseQueue(path: path, configuration: configuration)
        let (rows, known, epochs) = try database.read { connection in
            let rows = try Row.fetchAll(
                connection, sql: "SELECT id >> 40, sequence, part, content FROM runs ORDER BY id")
            let known = try String.fetchAll(connection, sql: "SELECT key FROM outside_keys")
            return (rows, known, try Int.fetchOne(connection, sql: "SELECT count(*) FROM epochs") ?? 0)
        }
        try self.init(
            rows: rows.map { ($0[0] as Int, $0[1] as Int, $0[2] as Int, $0[3] as Data) }, keys: known, epochs: epochs)
    }

    /// The same of rows that were read elsewhere, in order.
    public init(
        rows: [(loop: Int, sequence: Int, part: Int, content: Data)], keys known: [String], epochs: Int
    ) throws {
        var sources: [(loop: Int, source: AuditedSource)] = []
        for (loop, sequence, part, content) in rows {
            var run = AuditedRun(content, startsAt: sequence, isEvent: part == 0)
            while let source = try run.nextSource() { sources.append((loop, source)) }
        }
        self.epochs = epochs
        reports = sources.compactMap { $0.source.report }
        let read = sources.compactMap { $0.source.key }
        keys = known.filter { !Set(read).contains($0) } + read
        let counts = Dictionary(grouping: sources) { "\($0.loop) \($0.source.text)" }
        doubled = counts.filter { $0.value.count > 1 }.map {
            "one source was applied \($0.value.count) times: \($0.key)"
        }
    }
}
