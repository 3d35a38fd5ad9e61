/// The code that pages show: whole files, or regions between `// example: name` and `// end`.
struct ExampleSources {
    /// Why a block's source is none.
    enum Failure: Error, Equatable, CustomStringConvertible {
        case noFile(String)
        case noRegion(String)
        case twoRegions(String)

        var description: String {
            switch self {
            case .noFile(let path): "there is no file \(path)"
            case .noRegion(let source): "there is no region \(source): begin it with // example: and end it with // end"
            case .twoRegions(let source): "there are several regions \(source)"
            }
        }
    }

    /// The text of a file, given its path in the repository; `nil` if there is none.
    let read: (_ path: String) -> String?

    /// The code that `source` names: `path`, or `path#region`.
    ///
    /// A region stands without the indentation that its lines share, and without empty lines at its end.
    func code(of source: String) throws(Failure) -> String {
        let parts = source.split(separator: "#", maxSplits: 1)
        let path = parts.first.map(String.init) ?? ""
        guard let text = read(path) else { throw .noFile(path) }
        guard parts.count == 2 else { return text }
        let regions = Self.regions(of: text).filter { $0.name == parts[1] }
        guard let region = regions.first else { throw .noRegion(source) }
        guard regions.count == 1 else { throw .twoRegions(source) }
        return Self.dedented(region.lines)
    }

    /// The names of all regions in a file.
    static func regionNames(of text: String) -> [String] {
        regions(of: text).map(\.name)
    }

    private static func regions(of text: String) -> [(name: String, lines: [Substring])] {
        var regions: [(name: String, lines: [Substring])] = []
        var open: (name: String, lines: [Substring])?
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let words = line.drop { $0 == " " }
            if words.hasPrefix("// example: ") {
                open = (String(words.dropFirst(12)), [])
            } else if words == "// end", let region = open {
                let end = region.lines.lastIndex { !$0.isEmpty }.map { $0 + 1 } ?? 0
                regions.append((region.name, Array(region.lines[..<end])))
                open = nil
            } else {
                open?.lines.append(line)
            }
        }
        return regions
    }

    private static func dedented(_ lines: [Substring]) -> String {
        let indentation = lines.filter { !$0.isEmpty }.map { $0.prefix { $0 == " " }.count }.min() ?? 0
        return lines.map { $0.dropFirst(indentation) + "\n" }.joined()
    }
}
