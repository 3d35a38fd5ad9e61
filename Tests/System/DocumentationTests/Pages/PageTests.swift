import Testing

/// The check of the pages finds what it is there for.
@Suite("A page of documentation")
struct PageTests {
    let sources = ExampleSources { path in
        path != "A.swift"
            ? nil
            : """
            import Testing

            func test() {
                // example: sum
                let sum = 1 + 1
                if sum == 2 {

                    print(sum)
                }

                // end
                // example: twice
                // end
                // example: twice
                // end
            }

            """
    }

    private func page(_ source: String?, _ code: String) -> Page {
        let comment = source.map { "<!-- \($0) -->\n" } ?? ""
        return Page(path: "P.md", text: "# Sums\n\n\(comment)```swift\n\(code)```\nAnd so on.\n")
    }

    let sum = "let sum = 1 + 1\nif sum == 2 {\n\n    print(sum)\n}\n"

    @Test("may show a region without its indentation")
    func region() {
        #expect(page("A.swift#sum", sum).problems(in: sources) == [])
    }

    @Test("may show a whole file")
    func wholeFile() throws {
        #expect(page("A.swift", try sources.code(of: "A.swift")).problems(in: sources) == [])
    }

    @Test("may not show other code than its source's", arguments: ["", "let sum = 1\n"])
    func difference(code: String) {
        let problems = page("A.swift#sum", code).problems(in: sources)
        #expect(problems.count == 1)
        #expect(problems.first?.hasPrefix("P.md:5: differs from A.swift#sum.") == true)
    }

    @Test("may not show code that has no source")
    func noSource() {
        #expect(page(nil, sum).problems(in: sources).first?.hasPrefix("P.md:4: name the block's source") == true)
    }

    @Test("may not name what is not there, or is there twice")
    func missing() {
        #expect(page("B.swift", sum).problems(in: sources) == ["P.md:5: there is no file B.swift"])
        #expect(page("A.swift#product", sum).problems(in: sources).first?.contains("no region A.swift#product") == true)
        #expect(page("A.swift#twice", "").problems(in: sources) == ["P.md:5: there are several regions A.swift#twice"])
    }

    @Test("may show anything that is no Swift")
    func otherLanguages() {
        let page = Page(path: "P.md", text: "```sh\nTests/run\n```\n\n```\nplain\n```\n")
        #expect(page.blocks.map(\.language) == ["sh", ""])
        #expect(page.problems(in: sources) == [])
    }

    @Test("can be refreshed, whatever it shows", arguments: ["", "let sum = 1\n", "// some\n// more\n\n"])
    func refreshed(code: String) {
        let stale = page("A.swift#sum", code)
        #expect(stale.refreshed(from: sources).text == page("A.swift#sum", sum).text)
    }

    @Test("has to name public types and functions, not members, underscored or internal ones")
    func publicNames() {
        let source = """
            public struct Loop {
                public func run() {}
            }
            public final class Engine {}
            open class Base {}
            public typealias Names = [String]
            public func hasName() {}
            public struct _Partial {}
            struct Inner {}
            """
        #expect(PublicNames.atTopLevel(of: source) == ["Loop", "Engine", "Base", "Names", "hasName"])
    }
}
