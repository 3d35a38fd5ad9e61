/// What `Package.swift` must say: the compiler accepts a misspelt feature name silently.
enum Manifest {
    /// Upcoming features of Swift 6.3 that language mode 6 leaves off (`swiftc -print-supported-features`).
    private static let upcoming: Set = [
        "ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility", "InferIsolatedConformances",
        "NonisolatedNonsendingByDefault", "ImmutableWeakCaptures",
    ]
    /// Experimental features that we would consider.
    private static let experimental: Set = ["Lifetimes", "LifetimeDependence", "RawLayout", "Extern"]

    private static let loop = "for target in package.targets where target.type != .system {"
    private static let settings = [
        ".treatAllWarnings(as: .error)", ".enableUpcomingFeature(\"ExistentialAny\")",
        ".enableUpcomingFeature(\"MemberImportVisibility\")", ".enableUpcomingFeature(\"InternalImportsByDefault\")",
        ".enableUpcomingFeature(\"NonisolatedNonsendingByDefault\")",
    ]

    /// Unknown feature names, and settings that some target would miss.
    static func problems(in file: SourceFile) -> [Problem] {
        unknownFeatures(in: file) + missingSettings(in: file)
    }

    private static func unknownFeatures(in file: SourceFile) -> [Problem] {
        [("enableUpcomingFeature", upcoming), ("enableExperimentalFeature", experimental)].flatMap { setting, known in
            file.occurrences(of: setting + "(").compactMap { index in
                let name = file.code[index + 2]
                if known.contains(name.text) { return nil }
                return file.problem(
                    name.line,
                    "\"\(name.text)\" is no feature that Swift 6.3 leaves off in mode 6; known here: "
                        + known.sorted().joined(separator: ", "))
            }
        }
    }

    private static func missingSettings(in file: SourceFile) -> [Problem] {
        guard let start = file.occurrences(of: loop).first else {
            return [file.problem(file.lines, "one loop must set up every target of ours: \(loop)")]
        }
        let body = file.code[start...].map(\.text).joined(separator: " ")
        return settings.compactMap { setting in
            let needle = Lexer.tokens(of: setting).map(\.text).joined(separator: " ")
            if body.contains(needle) { return nil }
            return file.problem(file.code[start].line, "the settings loop lacks \(setting)")
        }
    }
}
