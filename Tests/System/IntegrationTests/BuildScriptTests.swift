import FleetTestSupport
import Foundation
import TestTraits
import Testing

/// What `Deploy/build` shows of a build; a script stands for `swift`.
@Suite("Deploy/build", .patient)
struct BuildScriptTests {
    private let folder: TestFolder

    init() throws {
        folder = try TestFolder()
    }

    /// Runs it, with its output in a file; `exit` is what the compiler ends with.
    private func build(exit: Int32) throws -> (code: Int32, lines: [String]) {
        try folder.script(
            "swift",
            """
            echo "$@" >'\(folder.file("arguments"))'
            echo 'Building for debugging...'
            i=0; while [ $i -lt 500 ]; do i=$((i + 1)); echo "[$i/502] Compiling Room File$i.swift"; done
            echo '/a/File.swift:1:2: error: no such thing' >&2
            exit \(exit)
            """)
        let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Deploy/build")
        let process = Process()
        process.executableURL = script
        process.arguments = ["--product", "mobius"]
        process.currentDirectoryURL = URL(filePath: folder.path)
        process.environment = ["PATH": "\(folder.path):/usr/bin:/bin"]
        #expect(FileManager.default.createFile(atPath: folder.file("output"), contents: nil))
        let output = try FileHandle(forWritingTo: URL(filePath: folder.file("output")))
        (process.standardOutput, process.standardError) = (output, output)
        try process.run()
        process.waitUntilExit()
        let text = try String(contentsOfFile: folder.file("output"), encoding: .utf8)
        return (process.terminationStatus, text.split(separator: "\n").map(String.init))
    }

    @Test("In a log: no line for each step, all errors, and the exit code of the build", arguments: [0, 7])
    func short(exit: Int32) throws {
        let (code, lines) = try build(exit: exit)
        #expect(code == exit)
        // A slow machine may take more than 30 s: then there are lines of progress, too.
        #expect(lines.contains("/a/File.swift:1:2: error: no such thing"))
        #expect(!lines.contains { $0.contains("Compiling") })
        #expect(lines.contains { $0.hasPrefix("   built in ") } == (exit == 0))
        let arguments = try String(contentsOfFile: folder.file("arguments"), encoding: .utf8)
        #expect(arguments.contains(" -debug-info-format none --disable-index-store --product mobius"))
    }
}
