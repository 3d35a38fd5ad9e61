/// Benchmarks of a coding in one process: the cases of `CodecCases`, timed and counted beside Foundation's JSON.
struct CodecBenchmark: Sendable {
    let name: String
    let summary: String
    let goal: Goal?

    /// All of them: a name here with a size of ``sizes`` is a case of `CodecCases`.
    static let all = [
        CodecBenchmark(
            name: "codec-json-encode", summary: "values to JSON; floor: JSONEncoder", goal: .ratioAtMost(1 / 5)),
        CodecBenchmark(
            name: "codec-json-decode", summary: "values from JSON; floor: JSONDecoder", goal: .ratioAtMost(1 / 3)),
        CodecBenchmark(
            name: "codec-fast-encode", summary: "values to FastPayload; floor: JSONEncoder", goal: .ratioAtMost(1 / 10)),
        CodecBenchmark(
            name: "codec-fast-decode", summary: "values from FastPayload; floor: JSONDecoder",
            goal: .ratioAtMost(1 / 10)),
    ]

    /// An enum's case with one associated value, one with five fields, an array of structs, and a bit of everything.
    private static let sizes = ["tiny", "small", "4k", "64k"]

    /// Two rows for each size: nanoseconds of CPU time, and allocations, per value.
    var benchmark: Benchmark {
        Benchmark(name: name, summary: summary) { programs, count in
            try Self.sizes.flatMap { size in
                let name = "\(name)-\(size)"
                var rows: [Row] = []
                let times = try (0..<count).compactMap { _ in try programs.codecTiming(name).pair }
                if !times.isEmpty { rows.append(Row(name, unit: "ns", rounds: times, goal: goal)) }
                // They are the same each time.
                let counts = try [programs.codecAllocations(name)].compactMap(\.pair)
                if !counts.isEmpty { rows.append(Row("\(name)-allocations", unit: "allocations", rounds: counts)) }
                return rows
            }
        }
    }
}
