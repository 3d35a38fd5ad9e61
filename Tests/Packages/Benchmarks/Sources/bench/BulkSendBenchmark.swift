/// A file of events, sent with the command: beside the same events sent in the coordinator's own process, both on disk.
enum BulkSendBenchmark {
    private static let events = 100_000

    @Sendable
    static func rows(_ programs: Programs, _ rounds: Int) throws -> [Row] {
        let pairs = try (0..<rounds).map { _ in
            let floor = try programs.withJournal { journal in
                try programs.writeManyLoops(journal, 0)
                return try programs.runManyLoops(journal, events: events, loops: 0).rate
            }
            let ours = try programs.withJournal { journal in
                try programs.writeManyLoops(journal, 0)
                return try programs.bulkSend(journal, events: events)
            }
            return (floor: Sample(value: floor), ours: Sample(value: ours))
        }
        return [Row("bulk-send", unit: "events/s", rounds: pairs)]
    }
}
