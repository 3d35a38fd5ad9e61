import FleetTestSupport
import Foundation
import Greeter
import MobiusProcess
import TestTraits
import Testing

/// The reference has what the commands declare, and the pages name nothing else.
@Suite("The reference", .patient)
struct ReferenceTests {
    private static let path = "Sources/MobiusFleet/MobiusFleet.docc/Reference.md"

    @Test("has every command, and every option of coordinators and workers")
    func commands() async throws {
        let coordinator = try await Help.of("greeter-coordinator").command.arguments ?? []
        let worker = try await Help.of("greeter-worker").command.arguments ?? []
        // What has no section belongs to the app.
        func table(_ arguments: [Help.Argument]) -> [String] {
            ["| Option | Meaning |", "| --- | --- |"] + arguments.filter { $0.sectionTitle != nil }.compactMap(\.row)
        }
        try compare("commands", Help.sections(of: try await Help.ofMobius()).dropLast())
        try compare("coordinator", table(coordinator)[...])
        try compare("worker", table(worker)[...])
    }

    /// The lines between two comments of the page.
    private func compare(_ name: String, _ wanted: ArraySlice<String>) throws {
        let text = try #require(Documentation.sources.read(Self.path))
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let start = try #require(lines.firstIndex(of: "<!-- \(name) -->")) + 1
        let end = try #require(lines.firstIndex(of: "<!-- end of \(name) -->"))
        let new = [""] + wanted + [""]
        guard Array(lines[start..<end]) != new else { return }
        if ProcessInfo.processInfo.environment["REFRESH_PAGES"] != nil {
            lines.replaceSubrange(start..<end, with: new)
            try lines.joined(separator: "\n")
                .write(to: Documentation.root.appending(path: Self.path), atomically: true, encoding: .utf8)
        } else {
            Issue.record(
                "\(name) of \(Self.path) differ: REFRESH_PAGES=1 Tests/run --filter DocumentationTests writes them.")
        }
    }

    @Test("has every environment variable of the sources")
    func variables() throws {
        let text = try #require(Documentation.sources.read(Self.path))
        let shown = text.matches(of: /\| `(MOBIUS_[A-Z_]+)` \|/).map { String($0.output.1) }
        let files = ["Sources", "Workers"].flatMap { Documentation.files(below: $0) { $0.hasSuffix(".swift") } }
        let used = Set(
            files.flatMap { path in
                (Documentation.sources.read(path) ?? "").matches(of: /MOBIUS_[A-Z_]*[A-Z]/).map { String($0.output) }
            })
        // A flag of the compiler.
        #expect(shown.sorted() == used.subtracting(["MOBIUS_THREAD_SANITIZER"]).sorted())
    }

    @Test("has every exit code of the sources")
    func exitCodes() throws {
        let text = try #require(Documentation.sources.read(Self.path))
        let source = try #require(Documentation.sources.read("Sources/MobiusProcess/Command/ExitCode+Fleet.swift"))
        let shown = text.matches(of: /\n\| (\d+) \|/).compactMap { Int($0.output.1) }
        let used = source.matches(of: /= ExitCode\((\d+)\)/).compactMap { Int($0.output.1) }
        #expect(used.count > 8)
        #expect(shown == [0] + used.sorted())
    }

    @Test("stands beside a page with today's versions of protocol and journal")
    func versions() throws {
        func number(_ path: String, _ pattern: Regex<(Substring, Substring)>) throws -> Substring {
            try #require(Documentation.sources.read(path)?.firstMatch(of: pattern)).output.1
        }
        let wire = try number("Sources/MobiusWire/Head.swift", /static let version: UInt8 = (\d+)/)
        let client = try number(
            "Sources/MobiusWire/MobiusWire.docc/ClientProtocol.md", /# The client protocol, version (\d+)/)
        let journal = try number("Sources/MobiusJournalSQLite/Schema.swift", /static let version: Int64 = (\d+)/)
        let page = try #require(
            Documentation.sources.read("Sources/MobiusFleet/MobiusFleet.docc/Compatibility.md"))
        let versions =
            "workers has version \(wire), the protocol of clients version \(client), and the journal format \(journal)"
        #expect(page.contains(versions))
    }

    @Test("is used for events that a program takes")
    func events() throws {
        let decoder = JSONDecoder()
        var count = 0
        for page in try Documentation().pages {
            for block in page.blocks where block.language == "sh" {
                for match in block.code.matches(of: /mobius send '(?<event>\{[^']*\})'/) {
                    count += 1
                    let event = Data(match.output.event.utf8)
                    let isTaken =
                        (try? decoder.decode(Greeter.Event.self, from: event)) != nil
                        || (try? decoder.decode(Expense.Event.self, from: event)) != nil
                        || (try? decoder.decode(Subscription.Event.self, from: event)) != nil
                        || (try? decoder.decode(NewPackageEvent.self, from: event)) != nil
                    #expect(isTaken, "\(page.path): \(match.output.event)")
                }
            }
        }
        #expect(count >= 2)
    }

    @Test("knows every command and metric that a page names")
    func named() async throws {
        let commands = Help.commands(of: try await Help.ofMobius())
        let metrics = Set(FleetMetric.allCases.map(\.rawValue))
        var (count, unknown) = (0, [String]())
        for page in try Documentation().pages {
            for match in page.text.matches(of: /(?:`|\$ |\n)mobius (?<words>[a-z][a-z-]*(?: [a-z]+)?)(?<rest>[^`\n]*)/)
            {
                count += 1
                let words = match.output.words.split(separator: " ").map(String.init)
                let names = (1...words.count).reversed().map { "mobius " + words.prefix($0).joined(separator: " ") }
                guard let name = names.first(where: { commands[$0] != nil }) else {
                    unknown.append("\(page.path): mobius \(match.output.words)")
                    continue
                }
                // What follows a "--" of its own is the coordinator's.
                let rest = String(match.output.rest).split(separator: " -- ", maxSplits: 1).first ?? ""
                for option in rest.matches(of: /\s(--[a-z][a-z-]*)/) {
                    let text = String(option.output.1)
                    if commands[name]?.contains(text) != true {
                        unknown.append("\(page.path): \(name) \(text)")
                    }
                }
            }
            for match in page.text.matches(of: /`(mobius_[a-z_]+)`/) where !metrics.contains(String(match.output.1)) {
                unknown.append("\(page.path): \(match.output.1)")
            }
        }
        #expect(count > 100)
        #expect(unknown.joined(separator: "\n") == "")
    }
}

/// An event of the package that `Deploy/new` writes, whose program is not built here.
private enum NewPackageEvent: Decodable { case added(item: String) }
