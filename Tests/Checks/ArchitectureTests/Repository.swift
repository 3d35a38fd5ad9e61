import Foundation

/// The checked-out repository, read once for all rules.
struct Repository: Sendable {
    /// Swift files below `Sources`, `Workers` and `Deploy`.
    let sources: [SourceFile]
    /// Swift files below `Tests`.
    let tests: [SourceFile]
    /// `Package.swift`.
    let manifest: SourceFile
    /// The names at the top level.
    let topLevel: [String]
    /// The names directly below `Tests`.
    let testFolders: [String]
    /// The folders directly below `Sources`, `Sources/Examples` and `Workers`, such as `Sources/MobiusWire`.
    let rooms: [String]

    /// The repository that these tests belong to.
    static let house = Result { try Repository(root: root) }

    static var root: URL {
        // …/Tests/Checks/ArchitectureTests/Repository.swift
        URL(filePath: #filePath).resolvingSymlinksInPath()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
    }

    private init(root: URL) throws {
        func names(in folder: String) throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: root.appending(path: folder).path).sorted()
        }
        func read(_ path: String) throws -> SourceFile {
            SourceFile(path: path, text: try String(contentsOf: root.appending(path: path), encoding: .utf8))
        }
        func swiftFiles(in folder: String) throws -> [SourceFile] {
            let base = root.appending(path: folder)
            guard let walk = FileManager.default.enumerator(atPath: base.path) else { return [] }
            var found: [String] = []
            while let path = walk.nextObject() as? String {
                if path.hasSuffix(".build") { walk.skipDescendants() }
                if path.hasSuffix(".swift") { found.append("\(folder)/\(path)") }
            }
            return try found.sorted().map(read)
        }
        func folders(in folder: String) throws -> [String] {
            try names(in: folder).filter { !$0.hasPrefix(".") && $0 != "Examples" }.map { "\(folder)/\($0)" }
        }
        sources = try ["Sources", "Workers", "Deploy"].flatMap(swiftFiles).filter { file in
            // A user's package, which is written from there.
            !file.path.hasPrefix("Deploy/new-package/")
        }
        tests = try swiftFiles(in: "Tests")
        manifest = try read("Package.swift")
        topLevel = try names(in: "")
        testFolders = try names(in: "Tests")
        rooms = try folders(in: "Sources") + folders(in: "Sources/Examples") + folders(in: "Workers")
    }
}
