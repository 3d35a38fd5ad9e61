import Foundation

/// One coordinator with a million loops, of which nobody has used any for a while.
enum ManyLoopsBenchmark {
    private static let loops = 1_000_000
    private static let events = 100_000

    /// What `many-loops run` prints: seconds, bytes, events per second, milliseconds, bytes.
    struct Line: Decodable {
        let ready: Double
        let resident: Double
        let rate: Double
        let page: Double
        let residentAfter: Double
    }

    @Sendable
    static func rows(_ programs: Programs, _ rounds: Int) throws -> [Row] {
        var (bytes, pages): ([Double], [Double]) = ([], [])
        var (starts, rates): ([(floor: Sample, ours: Sample)], [(floor: Sample, ours: Sample)]) = ([], [])
        try programs.withJournal { journal in
            try programs.writeManyLoops(journal, loops)
            for _ in 0..<rounds {
                let floor = try programs.readManyLoops(journal)
                let many = try programs.runManyLoops(journal, events: events, loops: loops)
                let one = try programs.withJournal { empty in
                    try programs.writeManyLoops(empty, 0)
                    return try programs.runManyLoops(empty, events: events, loops: 0)
                }
                bytes.append((many.resident - one.resident) / Double(loops))
                pages.append(many.page)
                starts.append((Sample(value: floor), Sample(value: many.ready)))
                rates.append((Sample(value: one.rate), Sample(value: many.rate)))
            }
        }
        return [
            Row("loops-million-bytes", unit: "bytes", values: bytes, goal: .atMost(200)),
            Row("loops-million-start", unit: "s", rounds: starts, goal: .ratioAtMost(2)),
            Row("loops-million-events", unit: "events/s", rounds: rates, goal: .ratioAtLeast(0.5)),
            Row("loops-million-page", unit: "ms", values: pages, goal: .atMost(5)),
        ]
    }

    /// A million timers of one loop, and effects at a worker with a hundred times as many outstanding as usual.
    @Sendable
    static func crowds(_ programs: Programs, _ rounds: Int) throws -> [Row] {
        let timers = try (0..<rounds).map { _ in
            try programs.withJournal { journal in
                try programs.writeManyLoops(journal, 0)
                return try programs.timers(journal, 1_000_000)
            }
        }
        let outstanding = try (0..<rounds).map { _ in
            (floor: try effects(programs, window: 1000), ours: try effects(programs, window: 100_000))
        }
        let guests = try (0..<rounds).map { _ in
            (
                floor: try effects(programs, window: 1000, guests: (clients: 1, workers: 1)),
                ours: try effects(programs, window: 1000, guests: (clients: 10_000, workers: 1000))
            )
        }
        return [
            Row("timers-million-bytes", unit: "bytes", values: timers.map { $0[0] }),
            Row("timers-million-time", unit: "µs", values: timers.map { $0[1] }),
            Row("effects-outstanding-100000", unit: "effects/s", rounds: outstanding),
            Row("effects-connected-11000", unit: "effects/s", rounds: guests, goal: .ratioAtLeast(0.8)),
        ]
    }

    private static func effects(
        _ programs: Programs, window: Int, guests: (clients: Int, workers: Int)? = nil
    ) throws -> Sample {
        let run = try programs.withJournal { journal in
            try programs.fleet(effects: 300_000, window: window, singles: 0, journal: journal, guests: guests)
        }
        return Sample(value: Double(run.line.effects) / run.line.seconds, cpu: run.cpu)
    }
}
