import FleetTestSupport
import Foundation
import TestTraits
import Testing

/// The page about HTTP shows what the coordinator answers, as far as that is the same each time.
@Suite("The page about HTTP", .patient)
struct HTTPPageTests {
    private static let path = "Sources/MobiusCoordinator/MobiusCoordinator.docc/HTTP.md"

    @Test("shows what curl prints")
    func commands() async throws {
        let page = Page(path: Self.path, text: try #require(Documentation.sources.read(Self.path)))
        let folder = try TestFolder()
        let endpoint = "ipc://\(folder.file("s"))"
        let coordinator = try TestProcess(
            "greeter-coordinator", ["--bind", endpoint, "--journal", folder.file("journal"), "--keep-history"])
        try await coordinator.log("listening")
        let serve = try await ServeProcess(of: "\(endpoint)-client")
        let port = try #require(serve.address.split(separator: ":").last)
        var worker: TestProcess?
        var count = 0
        for block in page.blocks where block.language == "console" {
            if block.source == "scene: greeted" {
                worker = try TestProcess("greeter-worker", ["--connect", endpoint])
                try await eventually("Ada is greeted") {
                    try await Self.run("curl -s http://127.0.0.1:\(port)/loops").joined().contains(#""lastSequence":2"#)
                }
            }
            for (command, output) in OperatingTests.dialogue(block.code) {
                count += 1
                let said = try await Self.run(command.replacing(":8080", with: ":\(port)"))
                #expect(said.map(Self.masked) == output.map(Self.masked), "\(Self.path):\(block.line): \(command)")
            }
        }
        #expect(count == 8)
        withExtendedLifetime((worker, serve)) {}
    }

    private static func run(_ command: String) async throws -> [String] {
        let words = OperatorsScene.words(command)
        let process = try TestProcess("/usr/bin/curl", Array(words.dropFirst()))
        try await process.end()
        return process.output.elements.filter { !$0.isEmpty }
    }

    private static func masked(_ line: String) -> String {
        var text = OperatingTests.masked(line)
        text.replace(/^id: (\d+)-[0-9a-f]{8}-[0-9a-f]{8}/, with: { "id: \($0.1)-JOURNAL" })
        text.replace(/"build":"[^"]*"/, with: #""build":"BUILD""#)
        text.replace(/"attempt":"[^"]*"/, with: #""attempt":"ATTEMPT""#)
        return text
    }
}
