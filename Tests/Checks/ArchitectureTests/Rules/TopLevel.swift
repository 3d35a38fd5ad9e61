/// What may lie at the top of the repository.
enum TopLevel {
    private static let names: Set = [
        ".ci", ".gitignore", ".swift-format", "CONTRIBUTING.md", "Deploy", "LICENSE", "Package.swift", "README.md",
        "Sources", "Tests", "Workers",
    ]
    private static let tests: Set = [
        "Bank", "Checks", "Packages", "Rooms", "Support", "System", "Tools", "XCTMain.swift", "run",
    ]
    /// What tools and runs leave behind and git ignores.
    private static let ignored: Set = [".git", ".swiftpm", ".DS_Store", "Package.resolved", "site-audit-report"]

    /// Names that do not belong there.
    static func problems(in entries: [String]) -> [Problem] {
        entries.filter { entry in
            !names.contains(entry) && !ignored.contains(entry) && !entry.hasPrefix(".build")
                && !entry.contains(".journal")
        }.map { entry in
            Problem(
                place: entry,
                advice: "the top level holds fixed names only: move it below Sources, Workers, Deploy or Tests")
        }
    }

    /// Names that do not belong into `Tests`.
    static func problems(inTests entries: [String]) -> [Problem] {
        entries.filter { !tests.contains($0) && !ignored.contains($0) }.map { entry in
            Problem(
                place: "Tests/\(entry)",
                advice: "Tests holds fixed names only: move it below \(tests.sorted().joined(separator: ", "))")
        }
    }
}
