import Foundation
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
        let (sources, known, epochs) = try database.read { connection in
            var sources: [(loop: Int, source: AuditedSource)] = []
            let rows = try Row.fetchCursor(
                connection, sql: "SELECT id >> 40, sequence, part, content FROM runs ORDER BY id")
            while let row = try rows.next() {
                let (loop, sequence, part, content) = (row[0] as Int, row[1] as Int, row[2] as Int, row[3] as Data)
                var run = AuditedRun(content, startsAt: sequence, isEvent: part == 0)
                while let source = try run.nextSource() { sources.append((loop, source)) }
            }
            let known = try String.fetchAll(connection, sql: "SELECT key FROM outside_keys")
            return (sources, known, try Int.fetchOne(connection, sql: "SELECT count(*) FROM epochs") ?? 0)
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
