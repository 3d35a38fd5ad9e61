import Foundation

/// The documentation comments of source files, as pages: the same lines, without the comment's marks.
enum Comments {
    /// Those of all rooms and workers.
    static var all: [Page] {
        ["Sources", "Workers"].flatMap { Documentation.files(below: $0) { $0.hasSuffix(".swift") } }.map { path in
            page(path, Documentation.sources.read(path) ?? "")
        }
    }

    /// Those of one file; what is no comment is an empty line.
    static func page(_ path: String, _ source: String) -> Page {
        let lines = source.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            let words = line.drop { $0 == " " }
            guard words.hasPrefix("///") else { return Substring() }
            return words.hasPrefix("/// ") ? words.dropFirst(4) : words.dropFirst(3)
        }
        return Page(path: path, text: lines.joined(separator: "\n"))
    }

    /// Where the code is compiled that comments show.
    static var examplePaths: [String] {
        Documentation.files(below: "Tests/System/DocumentationTests/Examples") { $0.hasSuffix(".swift") }
            + ["Tests/Rooms/MobiusTransportTests/Sockets/CommentExamples.swift"]
    }

    /// The code of every region there.
    static func compiledCode() throws -> Set<String> {
        Set(
            try examplePaths.flatMap { path in
                let names = ExampleSources.regionNames(of: Documentation.sources.read(path) ?? "")
                return try names.map { try Documentation.sources.code(of: "\(path)#\($0)") }
            })
    }

    /// What is wrong with the Swift examples of `page`, given what is compiled.
    static func problems(in page: Page, _ compiled: Set<String>) -> [String] {
        page.blocks.filter { $0.language == "swift" && !compiled.contains($0.code) }.map {
            "\(page.path):\($0.line): no region of Tests/System/DocumentationTests/Examples holds just this code"
        }
    }
}
