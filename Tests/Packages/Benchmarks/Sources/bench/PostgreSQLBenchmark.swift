import Foundation

/// A journal in PostgreSQL beside libpq alone, which sends the same bytes in groups of the same size to the same server.
enum PostgreSQLBenchmark {
    static let all = [
        Benchmark(
            name: "postgresql",
            summary:
                "effects per second with every event in PostgreSQL first; floors: libpq alone, and without a journal",
            rows: { try throughput($0, $1) }),
        Benchmark(
            name: "postgresql-replica", summary: "the same with a synchronous replica, on the same machine",
            rows: { try throughput($0, $1, isReplicated: true) }),
        Benchmark(
            name: "postgresql-latency",
            summary: "p50 of one effect at a time; floors: its commit by libpq, and that with a run without a journal",
            rows: latency),
    ]

    private static func throughput(_ programs: Programs, _ rounds: Int, isReplicated: Bool = false) throws -> [Row] {
        try programs.withPostgreSQL { server in
            if isReplicated { try server.replicate(port: programs.freePort()) }
            var (sizes, beside): ([Double], [(floor: Sample, ours: Sample)]) = ([], [])
            let pairs = try (0..<rounds).map { _ in
                let memory = try programs.fleet(effects: 100_000, window: 1000, singles: 0, journal: "none")
                let (run, shape) = try measured(programs, server, effects: 100_000, window: 1000, singles: 0)
                let effects = run.line.effects
                let floor = try programs.postgreSQLFloor(server, effects: effects, shape)
                sizes.append(Double(effects) / Double(shape.commits))
                let ours = Sample(
                    value: Double(effects) / run.line.seconds, cpu: run.cpu, coordinatorCPU: run.line.cpu)
                beside.append((Sample(value: Double(effects) / memory.line.seconds, cpu: memory.cpu), ours))
                return (floor: Sample(value: Double(effects) / floor.seconds, cpu: floor.cpu), ours: ours)
            }
            guard !isReplicated else { return [Row("postgresql-replica", unit: "effects/s", rounds: pairs)] }
            return [
                Row("postgresql", unit: "effects/s", rounds: pairs, goal: .ratioAtLeast(0.7)),
                Row("postgresql-to-memory", unit: "effects/s", rounds: beside),
                Row("postgresql-group", unit: "effects", values: sizes),
            ]
        }
    }

    @Sendable
    private static func latency(_ programs: Programs, _ rounds: Int) throws -> [Row] {
        try programs.withPostgreSQL { server in
            var (commits, beside): ([Double], [(floor: Sample, ours: Sample)]) = ([], [])
            let singles = 2000
            let pairs = try (0..<rounds).map { _ in
                let memory = try programs.fleet(effects: 0, window: 1, singles: singles, journal: "none")
                let (run, shape) = try measured(programs, server, effects: 0, window: 1, singles: singles)
                let floor = try programs.postgreSQLFloor(server, effects: 0, shape)
                let each = Double(shape.commits) / Double(singles)
                commits.append(each)
                let ours = Sample(value: run.line.p50)
                beside.append((Sample(value: floor.p50 * each + memory.line.p50), ours))
                return (floor: Sample(value: floor.p50 * each), ours: ours)
            }
            return [
                Row("postgresql-latency-p50", unit: "µs", rounds: pairs, goal: .ratioAtMost(1.3)),
                Row("postgresql-latency-and-memory", unit: "µs", rounds: beside),
                Row("postgresql-latency-commits", unit: "commits", values: commits),
            ]
        }
    }

    /// The commits of a run, as their mean.
    struct Shape {
        let commits: Int
        /// Rows of records in each.
        let rows: Int
        /// Bytes of each row.
        let bytes: Int
    }

    private static func measured(
        _ programs: Programs, _ server: PostgreSQLPlace, effects: Int, window: Int, singles: Int
    ) throws -> (run: Programs.EffectRun, shape: Shape) {
        let schema = server.schema()
        let journal = "\(server.database)?schema=\(schema)"
        try programs.initJournal(journal)
        let before = try server.transactions()
        let run = try programs.fleet(effects: effects, window: window, singles: singles, journal: journal)
        let commits = max(1, try server.transactions() - before - 2)
        // What is left of the records tells their size; what was inserted, their number.
        let mean = try server.sql(
            "SELECT round(sum(length(content))::numeric / sum(count), 2), sum(last_sequence) FROM \(schema).runs")
        let perRecord = Double(mean.split(separator: "|").first ?? "") ?? 0
        let records = Double(effects + singles + window)
        let bytes = perRecord * records / Double(commits)
        let rows = max(1, Int((bytes / 65_536).rounded(.up)))
        return (run, Shape(commits: commits, rows: rows, bytes: max(1, Int(bytes) / rows)))
    }
}
