import FleetTestSupport
import Foundation
import TestTraits
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The first page is played in a folder of its own, command by command.
@Suite("The page Start", .patient)
struct StartPageTests {
    private static let path = "Sources/MobiusFleet/MobiusFleet.docc/Start.md"

    @Test("shows what the commands do")
    func commands() async throws {
        let page = Page(path: Self.path, text: try #require(Documentation.sources.read(Self.path)))
        let shell = try StartShell()
        var count = 0
        for block in page.blocks where block.language == "console" {
            if let source = block.source { try await shell.play(source) }
            for (command, output) in OperatingTests.dialogue(block.code) {
                count += 1
                #expect(try await shell.run(command) == output, "\(Self.path):\(block.line): \(command)")
            }
        }
        #expect(count >= 10)
    }
}

/// Stands for the reader's shell, with jobs in the background.
private final class StartShell {
    private let folder: TestFolder
    private let environment: [String: String]
    private var jobs: [String: TestProcess] = [:]

    init() throws {
        folder = try TestFolder()
        let endpoint = "ipc://\(folder.file("s"))"
        let programs = try TestProcess.executable("mobius").deletingLastPathComponent().path
        environment = [
            "MOBIUS_BIND": endpoint, "MOBIUS_CONNECT": endpoint, "MOBIUS_RUNTIME_DIR": folder.path,
            "PATH": "\(programs):/usr/bin:/bin",
        ]
    }

    /// What takes the reader a moment.
    func play(_ scene: String) async throws {
        switch scene {
        case "scene: running":
            try await eventually("the coordinator answers") {
                try await self.run("mobius status --json").first?.hasPrefix("{") == true
            }
        case "scene: greeted 1", "scene: greeted 2":
            let count = scene.hasSuffix("1") ? 1 : 2
            try await eventually("the guests are greeted") {
                let greetings = try await self.run("cat greetings").count
                let pending = try await self.run("mobius effects")
                return greetings == count && pending == ["No effects are pending."]
            }
        default: Issue.record("The page has a scene that nobody knows: \(scene)")
        }
    }

    /// What a command prints, on standard output and then on standard error; of a job in the background, nothing.
    func run(_ command: String) async throws -> [String] {
        if command.hasPrefix("kill -9 %") {
            try await jobs.removeValue(forKey: String(command.dropFirst("kill -9 %".count)))?.kill()
            return []
        }
        let isJob = command.hasSuffix(" &")
        let text = isJob ? "exec \(command.dropLast(2))" : command
        let process = try TestProcess("/bin/sh", ["-c", text], environment: environment, in: folder.path)
        if isJob {
            jobs[String(command.prefix { $0 != " " })] = process
            return []
        }
        _ = try await process.end()
        return process.output.elements + process.errors.elements
    }
}
