import Foundation
import MobiusProcess
import Testing

/// The operators' page has each metric, and what we deploy asks for no other ones.
@Suite("The metrics")
struct MetricsTests {
    private static let path = "Sources/MobiusCoordinator/MobiusCoordinator.docc/Watching.md"

    /// A row per metric, as the page has them.
    private static var table: [String] {
        FleetMetric.allCases.map { metric in
            let labels = metric.labels.map { "`\($0)`" }.joined(separator: ", ")
            return "| `\(metric.rawValue)` | \(metric.owner.rawValue) | \(metric.kind.rawValue) | "
                + "\(labels.isEmpty ? "–" : labels) | \(metric.help) |"
        }
    }

    @Test("stand on the page, as the code has them")
    func page() throws {
        let text = try #require(Documentation.sources.read(Self.path))
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let header = try #require(lines.firstIndex { $0.hasPrefix("| Metric ") })
        let start = header + 2
        let end = lines[start...].firstIndex { !$0.hasPrefix("|") } ?? lines.endIndex
        guard Array(lines[start..<end]) != Self.table else { return }
        if ProcessInfo.processInfo.environment["REFRESH_PAGES"] != nil {
            lines.replaceSubrange(start..<end, with: Self.table)
            try lines.joined(separator: "\n")
                .write(to: Documentation.root.appending(path: Self.path), atomically: true, encoding: .utf8)
        } else {
            Issue.record(
                "The table of \(Self.path) differs: REFRESH_PAGES=1 Tests/run --filter DocumentationTests writes it.")
        }
    }

    @Test("that rules, dashboards and scalers ask for are there")
    func deployed() throws {
        var asked = 0
        let known = Set(FleetMetric.allCases.map(\.rawValue))
        let files = Documentation.files(below: "Deploy") { $0.hasSuffix(".yaml") || $0.hasSuffix(".json") }
        for file in files {
            let text = try #require(Documentation.sources.read(file))
            for match in text.matches(of: /\bmobius_[a-z_]+/) {
                asked += 1
                let name = String(match.output)
                let family = name.replacing(/_(bucket|sum|count)$/, with: "")
                #expect(known.contains(name) || known.contains(family), "\(file) asks for \(name)")
            }
        }
        #expect(asked > 40)
    }

    @Test("that can alert somebody are on the page")
    func alerts() throws {
        let page = try #require(Documentation.sources.read(Self.path))
        let rules = try #require(Documentation.sources.read("Deploy/prometheus/alerts.yaml"))
        let alerts = rules.matches(of: /- alert: (\w+)/).map { "`\($0.output.1)`" }
        #expect(alerts.count == 13)
        let rows = page.split(separator: "\n").filter { $0.hasPrefix("| `Mobius") }
        #expect(rows.map { $0.split(separator: " ")[1] }.sorted() == alerts.map { Substring($0) }.sorted())
    }
}
