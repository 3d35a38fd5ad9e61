import FleetTestSupport
import Foundation
import TestTraits
import Testing

/// The page on security shows what the commands say, as far as that is the same each time.
@Suite("The page on security", .patient)
struct SecurityPageTests {
    private static let path = "Sources/MobiusCoordinator/MobiusCoordinator.docc/Security.md"
    private let folder: TestFolder

    init() throws {
        folder = try TestFolder()
    }

    @Test("shows what the commands print")
    func commands() async throws {
        let page = Page(path: Self.path, text: try #require(Documentation.sources.read(Self.path)))
        var coordinator: TestProcess?
        var environment: [String: String] = [:]
        var count = 0
        for block in page.blocks where block.language == "console" {
            if block.source == "scene: revoked" {
                // The key has been brought to the worker's host.
                try FileManager.default.copyItem(
                    atPath: folder.file("keys/greeter-1.key"), toPath: folder.file("greeter-1.key"))
                let process = try TestProcess(
                    "greeter-coordinator", ["--bind", "tcp://127.0.0.1:*", "--keys", "keys"], in: folder.path)
                try await process.log("listening")
                let line = try #require(process.errors.elements.first { $0.contains("listening") })
                environment["MOBIUS_CONNECT"] = try #require(line.firstMatch(of: /endpoint=(\S+)/)).output.1.description
                coordinator = process
            }
            for (command, output) in OperatingTests.dialogue(block.code) {
                count += 1
                let said = try await run(command, environment)
                #expect(said.map(Self.masked) == output.map(Self.masked), "\(Self.path):\(block.line): \(command)")
                if command.contains("revoke") { try await coordinator?.log("the allow-list was read again") }
            }
        }
        #expect(count == 6)
    }

    private func run(_ command: String, _ environment: [String: String]) async throws -> [String] {
        let words = command.split(separator: " ").map(String.init)
        let process = try TestProcess(words[0], Array(words.dropFirst()), environment: environment, in: folder.path)
        _ = try await process.end()
        return process.output.elements + process.errors.elements
    }

    /// A line without keys and ports.
    private static func masked(_ line: String) -> String {
        var text = line
        text.replace(/tcp:\/\/127\.0\.0\.1:\d+/, with: "ENDPOINT")
        let words = text.split(separator: " ").map { word in
            word.wholeMatch(of: /[!-~]{40}/) == nil || word.contains("/keys") ? String(word) : "KEY"
        }
        return words.joined(separator: " ")
    }
}
