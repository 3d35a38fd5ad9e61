import ArgumentParser
import Foundation

/// Runs benchmarks and prints their table.
@main
struct Bench: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "Tests/run bench",
        abstract: "Measures Mobius Fleet, each figure beside its floor in the same run.",
        discussion: """
            Benchmarks:
            \(Benchmark.all.map { "  \($0.name): \($0.summary)" }.joined(separator: "\n"))

            A round runs the floor, then ours; figures are medians over the rounds. Absolute figures swing with the \
            machine, ratios much less. CPU is per effect: of both processes, of the coordinator alone, of the floor. For ns, µs and allocations a lower \
            ratio is better, for /s a higher one. Allocations are those beyond the floor's, which are what the user's \
            own values need. What was promised stands behind its row, as met or missed.
            """)

    @Argument(help: "Which benchmarks, by the start of their names (default: all).")
    var names: [String] = []

    @Option(help: ArgumentHelp("Write the rows to this file too.", valueName: "file"))
    var json: String?

    @Option(help: "How many rounds each.")
    var rounds = 5

    @Flag(help: "Fail when a target is missed; on a machine with nothing else to do.")
    var check = false

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
        Self.say(Self.line(["benchmark", "value", "unit", "floor", "ratio", "CPU µs", "coord.", "floor's", "target"]))
        for benchmark in chosen {
            for row in try benchmark.rows(Programs(), rounds) {
                rows.append(row)
                Self.say(Self.line(row))
            }
        }
        if let json { try Self.write(rows, to: json) }
        let missed = rows.filter { $0.target?.isMet == false }
        if check, !missed.isEmpty {
            throw BenchError("Missed by \(missed.map(\.name).joined(separator: ", ")).")
        }
    }

    private static func write(_ rows: [Row], to json: String) throws {
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
            row.name, number(row.value, digits), row.unit, row.floor.map { number($0, digits) } ?? "",
            row.ratio.map { number($0, 3) } ?? "",
            row.cpu.map { number($0, 1) } ?? "", row.coordinatorCPU.map { number($0, 1) } ?? "",
            row.floorCPU.map { number($0, 1) } ?? "", row.target.map { "  " + $0.text } ?? "",
        ])
    }

    private static func number(_ value: Double, _ digits: Int) -> String {
        value.formatted(.number.precision(.fractionLength(digits)).locale(Locale(identifier: "en_GB")))
    }

    private static func line(_ cells: [String]) -> String {
        let widths = [44, -12, 12, -12, -8, -8, -8, -8, 24]
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
