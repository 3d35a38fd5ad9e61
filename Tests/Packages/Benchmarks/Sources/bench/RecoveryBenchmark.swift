import Foundation

/// How fast a coordinator comes back: the whole process, from its start until its model is there.
enum RecoveryBenchmark {
    private static let events = 1_000_000

    @Sendable
    static func rows(_ programs: Programs, _ rounds: Int) throws -> [Row] {
        try programs.withJournal { journal in
            try programs.writeSmallJournal(journal, events: events)
            let pairs = try (0..<rounds).map { _ in
                let reading = try programs.readSmallJournal(journal)
                var seen = 0
                let time = try ContinuousClock().measure { seen = try programs.recoverSmallJournal(journal) }
                guard seen == events else { throw BenchError("\(seen) of \(events) events came back.") }
                return (floor: Sample(value: reading), ours: Sample(value: Double(events) / (time / .seconds(1))))
            }
            return [Row("recovery", unit: "events/s", rounds: pairs, goal: .atLeast(300_000))]
        }
    }
}

/// How fast a coordinator comes back when its journal is in PostgreSQL and many loops have work.
enum PostgreSQLRecoveryBenchmark {
    static let all = [
        Benchmark(
            name: "recovery-postgresql",
            summary:
                "seconds until a coordinator has 10,000 active loops from PostgreSQL, also 0.5 ms away; floor: one by one",
            rows: rows)
    ]

    @Sendable
    private static func rows(_ programs: Programs, _ rounds: Int) throws -> [Row] {
        try programs.withPostgreSQL { server in
            let journal = "\(server.database)?schema=\(server.schema())"
            try programs.initJournal(journal)
            try programs.writeActiveLoops(journal, 10_000)
            try server.sql("ANALYZE")
            let pairs = try (0..<rounds).map { _ in
                let alone = try programs.readActiveLoops(journal)
                return (floor: Sample(value: alone), ours: Sample(value: try programs.startActiveLoops(journal)))
            }
            let remote = try programs.withSlowLink(to: server.port, microseconds: 250) { port in
                let journal = journal.replacing(":\(server.port)/", with: ":\(port)/")
                return try (0..<rounds).map { _ in try programs.startActiveLoops(journal) }
            }
            return [
                Row("recovery-postgresql-10000", unit: "s", rounds: pairs, goal: .atMost(3)),
                Row("recovery-postgresql-10000-remote", unit: "s", values: remote, goal: .atMost(3)),
            ]
        }
    }
}

/// The coordinator's machine alone.
enum MachineBenchmark {
    @Sendable
    static func rows(_ programs: Programs, _ rounds: Int) throws -> [Row] {
        try [1, 256].map { window in
            let values = try (0..<rounds).map { _ in try programs.machineTiming(window: window) }
            return Row("machine-window-\(window)", unit: "µs", values: values)
        }
    }
}

/// What one frame may cost everybody else, at most.
enum WorstFrameBenchmark {
    @Sendable
    static func rows(_ programs: Programs, _ rounds: Int) throws -> [Row] {
        let values = try (0..<rounds).map { _ in try programs.worstFrame() }
        return [Row("worst-frame", unit: "ms", values: values, goal: .atMost(50))]
    }
}
