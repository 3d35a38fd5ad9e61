import FleetTestSupport
import Foundation
import Greeter
import MobiusClient
import TestTraits
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The operators' page shows what the commands say, as far as that is the same each time.
@Suite("The operators' page", .patient, .ownThread)
struct OperatingTests {
    @Test("shows what the commands print")
    func commands() async throws {
        let path = "Sources/MobiusCoordinator/MobiusCoordinator.docc/Operating.md"
        let page = Page(path: path, text: try #require(Documentation.sources.read(path)))
        let scene = try OperatorsScene()
        var count = 0
        for block in page.blocks where block.language == "console" {
            if let source = block.source { try await scene.play(source) }
            for (command, output) in Self.dialogue(block.code) {
                count += 1
                let said = try await scene.run(command)
                #expect(said.map(Self.masked) == output.map(Self.masked), "\(path):\(block.line): \(command)")
            }
        }
        #expect(count >= 12)
    }

    /// The commands of a block, behind `$`, with the lines that they print.
    static func dialogue(_ code: String) -> [(command: String, output: [String])] {
        var dialogue: [(command: String, output: [String])] = []
        for line in code.split(separator: "\n").map(String.init) {
            if line.hasPrefix("$ ") {
                dialogue.append((String(line.dropFirst(2)), []))
            } else if !dialogue.isEmpty {
                dialogue[dialogue.count - 1].output.append(line)
            }
        }
        return dialogue
    }

    /// A line without what differs each time: times, identifiers, sizes, widths of columns, the order of JSON's keys.
    static func masked(_ line: String) -> String {
        var text = line
        if let start = text.firstIndex(of: "{"), let json = sorted(text[start...]) {
            text.replaceSubrange(start..., with: json)
        }
        text.replace(/\d{4}-\d\d-\d\dT[0-9:.]+Z/, with: "TIME")
        text.replace(/\d\.\d+\.\d+\+[0-9a-f]+/, with: "BUILD")
        text.replace(/on worker [0-9a-f]+…?/, with: "on worker NAME")
        text.replace(/\b[0-9a-f]{32}\b/, with: "JOURNAL")
        text.replace(/on [0-9a-f]{8}\b/, with: "on WORKER")
        text.replace(/on worker [0-9a-f]+…/, with: "on worker WORKER")
        text.replace(#/^[0-9a-f]{8} /#, with: "WORKER ")
        text.replace(/^Worker: +[0-9a-f]{8}$/, with: "Worker: NAME")
        text.replace(/@\d+\.\d+/, with: "@ATTEMPT")
        text.replace(/\b\d+(s|ms)\b/, with: "AGE")
        text.replace(/process \d+/, with: "process PID")
        text.replace(/\#\d{15}/, with: "#NUMBER")
        text.replace(/event \d{15}/, with: "event NUMBER")
        text.replace(/journal restore [0-9a-f]+…/, with: "journal restore JOURNAL")
        text.replace(/\d+ bytes/, with: "SIZE")
        // JSON that is cut has its keys in any order, too.
        text.replace(/\{.*…$/, with: "{…")
        return text.split(separator: " ").joined(separator: " ")
    }

    private static func sorted(_ text: Substring) -> String? {
        guard let value = try? JSONSerialization.jsonObject(with: Data(text.utf8)),
            let data = try? JSONSerialization.data(withJSONObject: value, options: .sortedKeys)
        else { return nil }
        return String(decoding: data, as: UTF8.self)
    }
}

/// The Greeter with one worker, in the states that the page describes.
final class OperatorsScene {
    private let folder: TestFolder
    private let environment: [String: String]
    private let clients: String
    private var coordinator: TestProcess
    private let worker: TestProcess

    init() throws {
        folder = try TestFolder()
        let endpoint = "ipc://\(folder.file("s"))"
        environment = [
            "MOBIUS_BIND": endpoint, "MOBIUS_CONNECT": endpoint, "MOBIUS_RUNTIME_DIR": folder.path,
        ]
        clients = endpoint + "-client"
        coordinator = try Self.coordinator(environment, in: folder)
        worker = try TestProcess("greeter-worker", environment: environment, in: folder.path)
    }

    private static func coordinator(_ environment: [String: String], in folder: TestFolder) throws -> TestProcess {
        try TestProcess("greeter-coordinator", ["Ada", "Grace"], environment: environment, in: folder.path)
    }

    func play(_ scene: String) async throws {
        switch scene {
        case "scene: running":
            try await worker.output.wait(for: "two greetings") { $0.count == 2 }
            try await untilNothingIsPending()
        case "scene: stuck":
            try await untilNothingIsPending()
            // Connected before: the worker must get the effect while the coordinator still trusts it, for three seconds.
            let client = FleetClient(connect: clients, timeout: .seconds(3600))
            _ = try await client.status()
            worker.signal(SIGSTOP)
            let sent = try await client.send(Greeter.Event.guestArrived("Edsger"), key: "edsger")
            #expect(sent.outcome == .done)
            await client.close()
        case "scene: failed":
            try await eventually("there is a dead letter") { try await self.run("mobius dead list").count == 2 }
        case "scene: mended":
            worker.signal(SIGCONT)
        case "scene: lost":
            try await coordinator.kill()
            for end in ["", "-wal"] {
                try FileManager.default.moveItem(
                    atPath: folder.file("greeter.journal" + end), toPath: folder.file("lost.journal" + end))
            }
        case "scene: restored":
            coordinator = try Self.coordinator(environment, in: folder)
            try await worker.errors.wait(for: "the worker to join") {
                $0.contains { $0.contains("the coordinator has another journal now") }
            }
            _ = try await run(#"mobius send '{"guestArrived":{"_0":"Margaret"}}' --key margaret"#)
            try await worker.output.wait(for: "another greeting") { $0.contains { $0.contains("Margaret") } }
            try await untilNothingIsPending()
        case "scene: greeted":
            try await untilNothingIsPending()
        default: Issue.record("The page has a scene that nobody knows: \(scene)")
        }
    }

    private func untilNothingIsPending() async throws {
        try await eventually("nothing is pending") {
            try await self.run("mobius effects") == ["No effects are pending."]
        }
    }

    /// What a command prints, on standard output and then on standard error.
    func run(_ command: String) async throws -> [String] {
        let words = Self.words(command)
        let process = try TestProcess(words[0], Array(words.dropFirst()), environment: environment, in: folder.path)
        _ = try await process.end()
        return process.output.elements + process.errors.elements
    }

    /// As a shell would split them: at spaces, but not between single quotes.
    static func words(_ command: String) -> [String] {
        var words = [""]
        var isQuoted = false
        for character in command {
            switch character {
            case "'": isQuoted.toggle()
            case " " where !isQuoted: words.append("")
            default: words[words.count - 1].append(character)
            }
        }
        return words
    }
}
