/// A benchmark of a loop in one process: a case of `LoopCases`, timed and counted beside the same update called directly.
struct LoopBenchmark: Sendable {
    let name: String
    let summary: String
    /// Whether its floor allocates what the user's values need, and nothing else.
    var isCounted = true

    /// All of them: the cases in `LoopCases`.
    static let all = [
        LoopBenchmark(name: "loop-event", summary: "one event of a plain loop"),
        LoopBenchmark(name: "loop-event-observer", summary: "the same with an observer"),
        LoopBenchmark(
            name: "effect-roundtrip-1-route", summary: "event, effect, routeCase to an event, in one process"),
        LoopBenchmark(name: "effect-roundtrip-3-routes", summary: "the same, the last of three routes"),
        LoopBenchmark(name: "effect-roundtrip-30-routes", summary: "the same, the last of thirty"),
        LoopBenchmark(name: "loop-1000-ints-observer", summary: "a model of 1000 Ints, copied on each event"),
        LoopBenchmark(name: "loop-100000-ints-in-place", summary: "100,000 Ints, updated in place"),
        LoopBenchmark(name: "loop-100000-ints-in-place-observer", summary: "the same with an observer"),
        LoopBenchmark(name: "controller-event", summary: "one event of a view, until the last model is back there"),
        LoopBenchmark(
            name: "controller-event-beside-queues",
            summary: "the same; floor: each event and each model hops to a dispatch queue",
            isCounted: false),
    ]

    /// Two rows: nanoseconds per event, and allocations per event beyond the floor's.
    var benchmark: Benchmark {
        Benchmark(name: name, summary: summary) { programs, count in
            var rows: [Row] = []
            let times = try (0..<count).compactMap { _ in try programs.loopTiming(name).pair }
            if !times.isEmpty { rows.append(Row(name, unit: "ns", rounds: times)) }
            guard isCounted else { return rows }
            let counts = try (0..<count).compactMap { _ in try programs.loopAllocations(name).pair }
            if !counts.isEmpty {
                rows.append(
                    Row("\(name)-allocations", unit: "allocations", rounds: counts, isBeyondFloor: true))
            }
            return rows
        }
    }
}
