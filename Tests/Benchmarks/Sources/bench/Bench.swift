import ArgumentParser
import Foundation

/// Runs benchmarks and prints their table.
@main
struct Bench: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "Tests/bench",
        abstract: "Measures Mobius Fleet, each figure beside its floor in the same run.",
        discussion: """
            Benchmarks:
            \(Benchmark.all.map { "  \($0.name): \($0.summary)" }.joined(separator: "\n"))

            A round runs the floor, then ours; figures are medians over the rounds. Absolute figures swing with the \
            machine, ratios much less. CPU is per effect: of both processes, of the coordinator alone, of the floor. For ns, µs and allocations a lower \
            ratio is better, for /s a higher one. Allocations are those beyond the floor's, which are what the user's \
            own values need.
            """)

    @Argument(help: "Which benchmarks, by the start of their names (default: all).")
    var names: [String] = []

    @Option(help: ArgumentHelp("Write the rows to this file too.", valueName: "file"))
    var json: String?

    @Option(help: "How many rounds each.")
    var rounds = 5

    func validate() throws {
        guard rounds > 0 else { throw ValidationError("--rounds must be at least 1.") }
        for name in names where !Benchmark.all.contains(where: { $0.name.hasPrefix(name) }) {
            let known = Benchmark.all.map(\.name).joined(separator: ", ")
            throw ValidationError("There is no benchmark '\(name)'; there are \(known).")
        }
    }

    func run() throws {
        let chosen = Benchmark.all.filter { benchmark in
            names.isEmpty || names.contains { benchmark.name.hasPrefix($0) }
        }
        var rows: [Row] = []
        Self.say(Self.line(["benchmark", "value", "unit", "floor", "ratio", "CPU µs", "coord.", "floor's"]))
        for benchmark in chosen {
            for row in try benchmark.rows(Programs(), rounds) {
                rows.append(row)
                Self.say(Self.line(row))
            }
        }
        guard let json else { return }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        do {
            try encoder.encode(rows).write(to: URL(filePath: json))
        } catch {
            throw BenchError("Cannot write \(json): \(error.localizedDescription)")
        }
    }

    private static func line(_ row: Row) -> String {
        let digits = row.value < 10 ? 2 : row.value < 1000 ? 1 : 0
        return line([
            row.name, number(row.value, digits), row.unit, number(row.floor, digits),
            row.ratio.map { number($0, 3) } ?? "",
            row.cpu.map { number($0, 1) } ?? "", row.coordinatorCPU.map { number($0, 1) } ?? "",
            row.floorCPU.map { number($0, 1) } ?? "",
        ])
    }

    private static func number(_ value: Double, _ digits: Int) -> String {
        value.formatted(.number.precision(.fractionLength(digits)).locale(Locale(identifier: "en_GB")))
    }

    private static func line(_ cells: [String]) -> String {
        let widths = [44, -12, 12, -12, -8, -8, -8, -8]
        return zip(cells, widths).map { cell, width in
            let gap = String(repeating: " ", count: max(0, abs(width) - cell.count))
            return width < 0 ? gap + cell + " " : cell + gap
        }.joined()
    }

    /// At once, so that a long run shows where it is.
    private static func say(_ line: String) {
        FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }
}
