import Foundation

/// How long the seeds take that `Tests/run --all` simulates.
enum SimulationBenchmark {
    /// Runs once, however many rounds are asked for: it is a minute of work on every processor.
    @Sendable
    static func rows(_ programs: Programs, _ rounds: Int) throws -> [Row] {
        let text = try programs.simulation(seeds: 10_000)
        guard let found = text.firstMatch(of: /in ([0-9.]+) s:/), let seconds = Double(found.1) else {
            throw BenchError("Tests/run simulate printed '\(text)' instead of its time.")
        }
        return [Row("simulation-10000-seeds", unit: "s", values: [seconds], goal: .atMost(120))]
    }
}
