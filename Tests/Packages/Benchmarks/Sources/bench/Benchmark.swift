import Foundation

/// One benchmark: how to run it and the rows it yields.
struct Benchmark: Sendable {
    let name: String
    let summary: String
    let rows: @Sendable (_ programs: Programs, _ rounds: Int) throws -> [Row]

    /// All of them, in the order of the table.
    static let all =
        roundtrips + [
            Benchmark(
                name: "effect-durable-to-memory",
                summary: "effects per second with every event on disk first; floor: without a journal",
                rows: DurableBenchmark.throughput),
            Benchmark(
                name: "effect-allocations",
                summary: "how often each side asks for memory per effect, JSON, no journal", rows: allocations),
            Benchmark(name: "effect-latency-json", summary: "one effect at a time, p50 and p99", rows: latency),
            Benchmark(
                name: "effect-latency-durable",
                summary: "p50 of one effect at a time, every event on disk first; floor: p50 without, and two fsyncs",
                rows: DurableBenchmark.latency),
            Benchmark(
                name: "hostile-throughput",
                summary:
                    "effects per second with 1,000 strangers at the port, 500 more a second; floor: without",
                rows: HostileBenchmark.rows),
            Benchmark(
                name: "recovery", summary: "events per second from a journal; floor: reading its records alone",
                rows: RecoveryBenchmark.rows),
            Benchmark(
                name: "bulk-send",
                summary:
                    "events per second of `mobius send --file` to one loop; floor: sent in the coordinator's process",
                rows: BulkSendBenchmark.rows),
            Benchmark(
                name: "loops-million",
                summary:
                    "a million idle loops: bytes of each, start beside reading, events to random ones beside one loop",
                rows: ManyLoopsBenchmark.rows),
            Benchmark(
                name: "crowds",
                summary:
                    "a million timers; 100,000 effects outstanding, floor: 1,000; 11,000 peers connected, floor: two",
                rows: ManyLoopsBenchmark.crowds),
            Benchmark(
                name: "orders",
                summary: "sagas per second over three pools, half of them over HTTP; floor: their ledgers alone",
                rows: OrdersBenchmark.rows),
            Benchmark(
                name: "machine", summary: "the coordinator's decisions alone, per effect, 1 and 256 outstanding",
                rows: MachineBenchmark.rows),
            Benchmark(
                name: "worst-frame", summary: "the coordinator's machine and the largest frame that costs it most",
                rows: WorstFrameBenchmark.rows),
            Benchmark(
                name: "simulation", summary: "10,000 seeds of the simulated bank (builds it first)",
                rows: SimulationBenchmark.rows),
            Benchmark(
                name: "audit-scaling",
                summary: "Site Audit's loop with 100,000 URLs; floors: with 1,000, and 100 loops with 1,000 in turns",
                rows: auditScaling),
        ] + (PostgreSQLPlace.isInstalled ? inPostgreSQL : [])
        + CodecBenchmark.all.map(\.benchmark)
        + LoopBenchmark.all.map(\.benchmark)

    private static let inPostgreSQL =
        PostgreSQLBenchmark.all + PostgreSQLRecoveryBenchmark.all + ShardsBenchmark.all + FailoverBenchmark.all

    /// Effects to one worker and back, in each coding, without a journal and with every event on disk first.
    private static var roundtrips: [Benchmark] {
        ["json", "fast"].flatMap { coding in
            [("memory", "no journal", false), ("durable", "every event on disk first", true)].map {
                kind, words, durable in
                let name = "effect-roundtrip-\(coding)-\(kind)"
                return Benchmark(name: name, summary: "effects per second to one worker and back, \(words)") {
                    [try throughput(name, $0, $1, coding: coding, durable: durable)]
                }
            }
        }
    }

    private static func throughput(
        _ name: String, _ programs: Programs, _ rounds: Int, coding: String, durable: Bool
    ) throws -> Row {
        let pairs = try (0..<rounds).map { _ in
            let floor = try programs.floor(effects: 500_000, window: 1000, singles: 0)
            let ours = try programs.withJournal(durable) { journal in
                try programs.fleet(effects: 200_000, window: 1000, singles: 0, journal: journal, coding: coding)
            }
            return (floor: rate(floor), ours: rate(ours))
        }
        return Row(name, unit: "effects/s", rounds: pairs)
    }

    private static func rate(_ run: Programs.EffectRun) -> Sample {
        Sample(value: Double(run.line.effects) / run.line.seconds, cpu: run.cpu, coordinatorCPU: run.line.cpu)
    }

    /// They are the same in every round.
    @Sendable
    private static func allocations(_ programs: Programs, _ rounds: Int) throws -> [Row] {
        guard let counts = try programs.effectAllocations(journal: false) else { return [] }
        return [
            Row("effect-allocations-coordinator", unit: "allocations", values: [counts.coordinator]),
            Row("effect-allocations-worker", unit: "allocations", values: [counts.worker]),
        ]
    }

    @Sendable
    private static func latency(_ programs: Programs, _ rounds: Int) throws -> [Row] {
        let pairs = try (0..<rounds).map { _ in
            let floor = try programs.floor(effects: 0, window: 1, singles: 5000)
            let ours = try programs.fleet(effects: 0, window: 1, singles: 5000, journal: "none")
            return (floor: floor.line, ours: ours.line)
        }
        return [("p50", \Programs.EffectLine.p50), ("p99", \Programs.EffectLine.p99)].map { quantile, path in
            Row(
                "effect-latency-json-\(quantile)", unit: "µs",
                rounds: pairs.map { (Sample(value: $0.floor[keyPath: path]), Sample(value: $0.ours[keyPath: path])) })
        }
    }

    /// The second floor touches as much memory as ours, so that row shows what the algorithm costs and the first one what
    /// the processor's caches add.
    @Sendable
    private static func auditScaling(_ programs: Programs, _ rounds: Int) throws -> [Row] {
        let samples = try (0..<rounds).map { _ in
            (
                small: Sample(value: try programs.audit(urls: 1000)),
                large: Sample(value: try programs.audit(urls: 100_000)),
                inTurns: Sample(value: try programs.audit(urls: 1000, models: 100))
            )
        }
        return [
            Row("audit-scaling", unit: "events/s", rounds: samples.map { (floor: $0.small, ours: $0.large) }),
            Row(
                "audit-scaling-same-memory", unit: "events/s",
                rounds: samples.map { (floor: $0.inTurns, ours: $0.large) }),
        ]
    }
}
