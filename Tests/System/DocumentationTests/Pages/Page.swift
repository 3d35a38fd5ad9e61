/// A page of documentation, in Markdown, as far as its code blocks go.
struct Page {
    /// A code block, between two lines of three backquotes.
    struct Block: Equatable {
        /// Where its first line of code stands, counted from 1.
        let line: Int
        /// What stands behind the backquotes, such as `swift`.
        let language: String
        /// What the comment on the line before the block names: a file, or a region of one.
        let source: String?
        let code: String
    }

    /// Relative to the repository.
    let path: String
    let text: String

    /// All code blocks, in order.
    var blocks: [Block] {
        var blocks: [Block] = []
        var open: (line: Int, language: String, source: String?, code: [Substring])?
        var previous: Substring = ""
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            if line.hasPrefix("```") {
                if let block = open {
                    let code = block.code.map { $0 + "\n" }.joined()
                    blocks.append(
                        Block(line: block.line, language: block.language, source: block.source, code: code))
                    open = nil
                } else {
                    open = (index + 2, String(line.dropFirst(3)), Self.comment(previous), [])
                }
            } else {
                open?.code.append(line)
            }
            previous = line
        }
        return blocks
    }

    /// What is wrong with the Swift blocks, given what files hold.
    func problems(in sources: ExampleSources) -> [String] {
        blocks.filter { $0.language == "swift" }.compactMap { block in
            let place = "\(path):\(block.line)"
            guard let source = block.source else {
                return "\(place): name the block's source in the line before: <!-- Tests/…/File.swift#region -->"
            }
            do {
                guard try sources.code(of: source) != block.code else { return nil }
                return "\(place): differs from \(source). \(Self.advice)"
            } catch {
                return "\(place): \(error)"
            }
        }
    }

    /// The page with the code of its Swift blocks taken from their sources, where there are such.
    func refreshed(from sources: ExampleSources) -> Page {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        for block in blocks.reversed() where block.language == "swift" {
            guard let source = block.source, let code = try? sources.code(of: source) else { continue }
            let count = block.code.count { $0 == "\n" }
            let new = code.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            lines.replaceSubrange(block.line - 1..<block.line - 1 + count, with: new)
        }
        return Page(path: path, text: lines.joined(separator: "\n"))
    }

    private static let advice = "REFRESH_PAGES=1 Tests/run --filter DocumentationTests copies the code into the page."

    private static func comment(_ line: Substring) -> String? {
        guard line.hasPrefix("<!-- "), line.hasSuffix(" -->") else { return nil }
        return String(line.dropFirst(5).dropLast(4))
    }
}
