/// What strangers at the port cost those who may be there: both with the processor shared with the strangers' own program.
enum HostileBenchmark {
    @Sendable
    static func rows(_ programs: Programs, _ rounds: Int) throws -> [Row] {
        let pairs = try (0..<rounds).map { _ in
            (floor: try run(programs, crowd: nil), ours: try run(programs, crowd: (number: 1000, rate: 500)))
        }
        return [Row("hostile-throughput", unit: "effects/s", rounds: pairs)]
    }

    private static func run(_ programs: Programs, crowd: (number: Int, rate: Int)?) throws -> Sample {
        let run = try programs.fleet(effects: 500_000, window: 1000, singles: 0, journal: "none", crowd: crowd)
        return Sample(value: Double(run.line.effects) / run.line.seconds, coordinatorCPU: run.line.cpu)
    }
}
