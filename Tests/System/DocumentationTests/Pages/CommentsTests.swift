import Foundation
import Greeter
import Testing

/// What comments and help texts show is what is built.
@Suite("Examples in comments and help texts")
struct CommentsTests {
    @Test("of documentation comments are compiled")
    func comments() throws {
        let compiled = try Comments.compiledCode()
        let pages = Comments.all
        #expect(pages.flatMap(\.blocks).count { $0.language == "swift" } > 30)
        #expect(pages.flatMap { Comments.problems(in: $0, compiled) }.joined(separator: "\n") == "")
    }

    @Test("are found, and compared line by line")
    func problems() {
        let source = """
            struct A {
                /// Adds.
                ///
                /// ```swift
                /// let sum = 1 + 1
                ///
                /// if sum == 2 {
                ///     print(sum)
                /// }
                /// ```
                func add() {}
            }
            """
        let page = Comments.page("A.swift", source)
        let code = "let sum = 1 + 1\n\nif sum == 2 {\n    print(sum)\n}\n"
        #expect(Comments.problems(in: page, [code]) == [])
        let problems = Comments.problems(in: page, ["let sum = 1 + 1\n"])
        #expect(problems.count == 1)
        #expect(problems.first?.hasPrefix("A.swift:5: ") == true)
    }

    /// Help texts name the program that takes their events.
    @Test("of help texts are events of the program that they name")
    func events() throws {
        var events = 0
        for path in Documentation.files(below: "Sources/mobius", where: { $0.hasSuffix(".swift") }) {
            // The texts of a new package have a program of their own: `Tests/run start` sends it these events.
            if path.contains("/New/") { continue }
            let text = try #require(Documentation.sources.read(path))
            for match in text.matches(of: /mobius send '(?<event>\{[^'\\]*\})'/) {
                let head = text[..<match.range.lowerBound].suffix(400)
                #expect(head.contains("greeter-coordinator"), "\(path): name the program that takes \(match.event)")
                #expect(throws: Never.self, "\(path): \(match.event)") {
                    try JSONDecoder().decode(Greeter.Event.self, from: Data(match.event.utf8))
                }
                events += 1
            }
        }
        #expect(events > 0)
    }
}
