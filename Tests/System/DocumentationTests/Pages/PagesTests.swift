import Foundation
import Testing

/// What the pages show is what is built and tested.
@Suite("The pages of documentation")
struct PagesTests {
    let documentation: Documentation

    init() throws {
        if ProcessInfo.processInfo.environment["REFRESH_PAGES"] != nil {
            for page in try Documentation().pages { try page.refresh() }
        }
        documentation = try Documentation()
    }

    @Test("show the code of their sources, and no other Swift code")
    func showSources() {
        let problems = documentation.pages.flatMap { $0.problems(in: Documentation.sources) }
        #expect(problems.joined(separator: "\n") == "")
    }

    @Test("show every example")
    func showExamples() throws {
        let shown = Set(documentation.pages.flatMap(\.blocks).compactMap(\.source))
        let examples = try documentation.examplePaths.flatMap { path in
            let text = try #require(Documentation.sources.read(path))
            return ExampleSources.regionNames(of: text).map { "\(path)#\($0)" }
        }
        #expect(examples.count > 20)
        // Those of comments are compared by their code (see CommentsTests).
        let comments = Set(Comments.all.flatMap(\.blocks).map(\.code))
        let unused = try examples.filter {
            try !shown.contains($0) && !comments.contains(Documentation.sources.code(of: $0))
        }
        #expect(unused.joined(separator: "\n") == "")
    }

    @Test("name files and folders that exist")
    func nameFiles() {
        let missing = documentation.pages.flatMap { page in
            let folder = Documentation.root.appending(path: page.path).deletingLastPathComponent()
            let links = page.text.matches(of: /\]\((?<path>[A-Za-z.][A-Za-z0-9_.\/-]*)\)/).map(\.output.path)
            return links.filter { !FileManager.default.fileExists(atPath: folder.appending(path: $0).path) }
                .map { "\(page.path): \($0)" }
        }
        #expect(missing.joined(separator: "\n") == "")
    }

    @Test(
        "name every public type and function of their module on its first page",
        arguments: ["MobiusClient", "MobiusCore", "MobiusExtras", "MobiusTest"])
    func nameSymbols(module: String) throws {
        let path = "Sources/\(module)/\(module).docc/\(module).md"
        let page = try #require(documentation.pages.first { $0.path == path })
        let linked = Set(page.text.matches(of: /- ``(?<name>\w+)/).map { String($0.output.name) })
        let files = Documentation.files(below: "Sources/\(module)") { $0.hasSuffix(".swift") }
        let declared = files.flatMap { PublicNames.atTopLevel(of: Documentation.sources.read($0) ?? "") }
        #expect(declared.count > 2)
        #expect(Set(declared).subtracting(linked).sorted().joined(separator: "\n") == "")
    }
}

extension Page {
    /// Writes the page anew, with the code of its sources, if that is another one.
    fileprivate func refresh() throws {
        let new = refreshed(from: Documentation.sources)
        guard new.text != text else { return }
        try new.text.write(to: Documentation.root.appending(path: path), atomically: true, encoding: .utf8)
    }
}
