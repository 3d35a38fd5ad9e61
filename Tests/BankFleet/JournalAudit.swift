import Foundation
import GRDB

/// What a journal's file says, read as SQL by somebody who shares no code with the journal.
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

    // What a row of `records` is: see the journal's schema.
    private static let report = 1
    private static let outside = 3
    /// Start, report, failure, outside, timer; all others are notes.
    private static let events = "0, 1, 2, 3, 10"

    /// Reads the journal, whose coordinator may be running or dead.
    public init(path: String) throws {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(10)
        let database = try DatabaseQueue(path: path, configuration: configuration)
        (reports, keys, epochs, doubled) = try database.read { connection in
            let reports = try Self.reports(connection)
            let keys = try String.fetchAll(
                connection,
                sql: """
                    SELECT key FROM outside_keys
                        WHERE key NOT IN (SELECT key FROM records WHERE source = \(Self.outside))
                    UNION ALL SELECT key FROM (
                        SELECT key FROM records WHERE source = \(Self.outside) ORDER BY position)
                    """)
            let epochs = try Int.fetchOne(connection, sql: "SELECT count(*) FROM epochs") ?? 0
            return (reports, keys, epochs, try Self.doubled(connection))
        }
    }

    private static func reports(_ connection: Database) throws -> [Report] {
        try Row.fetchAll(
            connection,
            sql: """
                SELECT effect_sequence, effect_index, epoch, attempt, number FROM records
                WHERE source = \(report) ORDER BY position
                """
        ).map { row in
            Report(effect: "\(row[0] as Int)/\(row[1] as Int)", epoch: row[2], number: row[3], report: row[4])
        }
    }

    private static func doubled(_ connection: Database) throws -> [String] {
        try Row.fetchAll(
            connection,
            sql: """
                SELECT source, effect_sequence, effect_index, epoch, attempt, number, key, count(*) FROM records
                WHERE source IN (\(events))
                GROUP BY loop, source, effect_sequence, effect_index, epoch, attempt, number, key HAVING count(*) > 1
                """
        ).map { row in "one source was applied \(row[7] as Int) times: \(row)" }
    }
}
