import Foundation
import Testing

/// The pages name tests as proofs; what they name has to be there.
@Suite("The tests that pages name as proofs")
struct ProofTests {
    static let pages = ["Failures", "Security"].map { "Sources/MobiusCoordinator/MobiusCoordinator.docc/\($0).md" }

    private let text: String

    init() throws {
        text = try Self.pages.map { try #require(Documentation.sources.read($0)) }.joined(separator: "\n")
    }

    /// What a row names: `Folder/Suite.test`, where the folder is one of `Tests/Rooms`, `Tests/System` or `Tests/Checks`.
    private var proofs: [Proof] {
        text.matches(of: /`(?<folder>\w+)\/(?<suite>\w+)\.(?<test>\w+)`/).map { match in
            Proof(folder: String(match.folder), suite: String(match.suite), test: String(match.test))
        }
    }

    @Test("are in the sources")
    func exist() {
        #expect(proofs.count > 40)
        let missing = Set(proofs).filter { !$0.isThere(in: Documentation.sources) }
        #expect(missing.map(\.description).sorted().joined(separator: "\n") == "")
    }

    @Test("are named in every row of a table")
    func everyRow() {
        let rows = text.split(separator: "\n").filter {
            $0.hasPrefix("| ") && !$0.hasPrefix("| Failure ") && !$0.hasPrefix("| Threat ")
                && !$0.hasPrefix("| --- ")
        }
        #expect(rows.count > 20)
        let bare = rows.filter { !$0.contains(/`\w+\/\w+\.\w+`/) }
        #expect(bare.joined(separator: "\n") == "")
    }

    @Test("are missed when they are not there")
    func missing() {
        let sources = ExampleSources { path in
            path == "Tests/A/BTests.swift"
                ? "struct BTests {\n    @Test func works() {}\n    func helps() {}\n}\n" : nil
        }
        func found(_ suite: String, _ test: String) -> Bool {
            Proof(folder: "A", suite: suite, test: test).isThere(in: sources, files: ["Tests/A/BTests.swift"])
        }
        #expect(found("BTests", "works"))
        #expect(!found("BTests", "work"))
        #expect(!found("BTests", "helps"))
        #expect(!found("CTests", "works"))
    }
}

/// A test, by the names of its folder, its suite and its function.
private struct Proof: Hashable, CustomStringConvertible {
    private static let kinds = ["struct", "class", "extension"]

    let folder: String
    let suite: String
    let test: String

    var description: String { "\(folder)/\(suite).\(test)" }

    func isThere(in sources: ExampleSources) -> Bool {
        let files = ["Rooms", "System", "Checks"].flatMap { kind in
            Documentation.files(below: "Tests/\(kind)/\(folder)") { $0.hasSuffix(".swift") }
        }
        return isThere(in: sources, files: files)
    }

    /// Whether a file that declares the suite, or extends it, has a function of this name with `@Test` before it.
    func isThere(in sources: ExampleSources, files: [String]) -> Bool {
        files.contains { path in
            guard let text = sources.read(path), Self.kinds.contains(where: { text.contains("\($0) \(suite)") })
            else { return false }
            return hasTest(text)
        }
    }

    private func hasTest(_ text: String) -> Bool {
        let lines = text.split(separator: "\n")
        guard let index = lines.firstIndex(where: { $0.contains("func \(test)(") }) else { return false }
        if lines[index].contains("@Test") { return true }
        // Otherwise the attribute stands on the few lines before it, with its title and arguments.
        for line in lines[max(0, index - 10)..<index].reversed() {
            if line.contains("func ") || line.hasPrefix("    }") || line.hasPrefix("}") { return false }
            if line.contains("@Test") { return true }
        }
        return false
    }
}
