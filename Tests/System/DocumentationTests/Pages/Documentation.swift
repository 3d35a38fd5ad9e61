import Foundation

/// The repository's pages, and the sources that they show.
struct Documentation {
    /// The README, the contributor's guide and all articles of the rooms.
    let pages: [Page]
    /// The files of `Tests/System/DocumentationTests/Examples`.
    let examplePaths: [String]

    static let root =
        // …/Tests/System/DocumentationTests/Pages/Documentation.swift
        URL(filePath: #filePath).resolvingSymlinksInPath()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// Where the code of examples is read.
    static var sources: ExampleSources {
        ExampleSources { path in try? String(contentsOf: root.appending(path: path), encoding: .utf8) }
    }

    init() throws {
        let articles = Self.files(below: "Sources") { $0.contains(".docc/") && $0.hasSuffix(".md") }
        pages = try (["README.md", "CONTRIBUTING.md"] + articles).map { path in
            Page(path: path, text: try String(contentsOf: Self.root.appending(path: path), encoding: .utf8))
        }
        examplePaths = Self.files(below: "Tests/System/DocumentationTests/Examples") { $0.hasSuffix(".swift") }
    }

    /// The paths of the files below a folder, sorted.
    static func files(below folder: String, where matches: (String) -> Bool) -> [String] {
        let walk = FileManager.default.enumerator(atPath: root.appending(path: folder).path)
        var found: [String] = []
        while let path = walk?.nextObject() as? String { found.append("\(folder)/\(path)") }
        return found.filter(matches).sorted()
    }
}
