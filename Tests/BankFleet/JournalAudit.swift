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
    /// The keys of the applied events from outside, in order.
    public let keys: [String]
    /// How often the journal was opened.
    public let epochs: Int

    /// Reads the journal, whose coordinator may be running or dead.
    public init(path: String) throws {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(10)
        let database = try DatabaseQueue(path: path, configuration: configuration)
        (reports, keys, epochs) = try database.read { connection in
            let reports = try Row.fetchAll(
                connection,
                sql: """
                    SELECT effect_sequence, effect_index, epoch, attempt, number FROM records WHERE source = 1
                    ORDER BY position
                    """
            ).map { row in
                Report(
                    effect: "\(row[0] as Int)/\(row[1] as Int)", epoch: row[2], number: row[3], report: row[4])
            }
            let keys = try String.fetchAll(
                connection, sql: "SELECT key FROM records WHERE key IS NOT NULL ORDER BY position")
            let epochs = try Int.fetchOne(connection, sql: "SELECT count(*) FROM epochs") ?? 0
            return (reports, keys, epochs)
        }
    }

    /// What must not be there: one source applied twice, in sentences.
    public var doubled: [String] {
        let twice = Dictionary(grouping: reports, by: \.self).filter { $0.value.count > 1 }.keys
        let keysTwice = Dictionary(grouping: keys, by: \.self).filter { $0.value.count > 1 }.keys
        return twice.map { "report \($0) was applied twice" } + keysTwice.map { "key \($0) was applied twice" }
    }
}
