import Foundation

/// What the promise that nothing is lost costs: ours with a journal beside ours without, in the same run.
enum DurableBenchmark {
    @Sendable
    static func throughput(_ programs: Programs, _ rounds: Int) throws -> [Row] {
        let pairs = try (0..<rounds).map { _ in
            (floor: try run(programs, durable: false), ours: try run(programs, durable: true))
        }
        return [Row("effect-durable-to-memory", unit: "effects/s", rounds: pairs, goal: .ratioAtLeast(0.7))]
    }

    private static func run(_ programs: Programs, durable: Bool) throws -> Sample {
        let run = try programs.withJournal(durable) { journal in
            try programs.fleet(effects: 200_000, window: 1000, singles: 0, journal: journal)
        }
        return Sample(
            value: Double(run.line.effects) / run.line.seconds, cpu: run.cpu, coordinatorCPU: run.line.cpu)
    }

    /// The disk's own row says what an fsync took meanwhile.
    @Sendable
    static func latency(_ programs: Programs, _ rounds: Int) throws -> [Row] {
        var (pairs, syncs): ([(floor: Sample, ours: Sample)], [Double]) = ([], [])
        for _ in 0..<rounds {
            // Before and after, for a disk that others use is quick now and slow then.
            let memory = try single(programs, durable: false)
            let before = try programs.withJournal { try DiskSync.median(beside: $0) }
            let durable = try single(programs, durable: true)
            let after = try programs.withJournal { try DiskSync.median(beside: $0) }
            let sync = (before + after) / 2
            pairs.append((floor: Sample(value: memory + 2 * sync), ours: Sample(value: durable)))
            syncs.append(sync)
        }
        return [
            Row("effect-latency-durable-p50", unit: "µs", rounds: pairs, goal: .ratioAtMost(1)),
            Row("disk-fsync-p50", unit: "µs", values: syncs),
        ]
    }

    private static func single(_ programs: Programs, durable: Bool) throws -> Double {
        try programs.withJournal(durable) { journal in
            try programs.fleet(effects: 0, window: 1, singles: 3000, journal: journal).line.p50
        }
    }
}
