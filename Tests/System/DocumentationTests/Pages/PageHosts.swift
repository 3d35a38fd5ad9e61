import FleetTestSupport
import Foundation
import Testing

/// The hosts of a page, each with a folder, and what runs on them.
final class PageHosts {
    let hosts: Hosts
    /// The processes that were started behind the others, by host and program.
    private(set) var running: [String: TestProcess] = [:]
    private let folder: TestFolder

    init(_ hosts: Hosts, _ names: [String]) throws {
        self.hosts = hosts
        folder = try TestFolder()
        for name in names {
            try FileManager.default.createDirectory(atPath: folder.file(name), withIntermediateDirectories: false)
        }
    }

    /// Plays a page of the coordinator's: what it says in words, and its commands, which have to print what it shows.
    ///
    /// - Parameter why: What is known of a command that printed this.
    /// - Returns: how many commands there were.
    func play(
        _ name: String, _ scene: (String) async throws -> Void,
        why: ([String]) async throws -> [String] = { _ in [] }
    ) async throws -> Int {
        let path = "Sources/MobiusCoordinator/MobiusCoordinator.docc/\(name).md"
        let page = Page(path: path, text: try #require(Documentation.sources.read(path)))
        var count = 0
        for block in page.blocks where block.language == "console" {
            if let source = block.source { try await scene(source) }
            for (host, command, output) in Self.dialogue(block.code) {
                count += 1
                let said = try await run(command, on: host)
                let why = try await why(said)
                #expect(said.map(Self.masked) == output.map(Self.masked), "\(path):\(block.line): \(command) \(why)")
            }
        }
        return count
    }

    /// The commands of a block, behind `HOST$`, with the lines that they print.
    private static func dialogue(_ code: String) -> [(host: String, command: String, output: [String])] {
        var dialogue: [(host: String, command: String, output: [String])] = []
        for line in code.split(separator: "\n").map(String.init) {
            if let match = line.wholeMatch(of: /(\w+)\$ (.*)/) {
                dialogue.append((String(match.1), String(match.2), []))
            } else if !dialogue.isEmpty {
                dialogue[dialogue.count - 1].output.append(line)
            }
        }
        return dialogue
    }

    /// Keys are other ones each time, too.
    private static func masked(_ line: String) -> String {
        var text = line
        text.replace(/public key \S+/, with: "public key KEY")
        text.replace(#/ [!-~]{40} /#, with: " KEY ")
        return OperatingTests.masked(text)
    }

    /// Runs a command to its end, or behind the others when it ends with `&`; answers what it prints.
    func run(_ command: String, on host: String) async throws -> [String] {
        var words = OperatorsScene.words(command)
        let isServer = words.last == "&"
        if isServer { words.removeLast() }
        let program = try TestProcess.executable(words[0]).path
        let all = hosts.on(host) + [program] + words.dropFirst()
        let process = try TestProcess(all[0], Array(all.dropFirst()), in: folder.file(host))
        if isServer {
            running["\(host) \(words[0])"] = process
            return []
        }
        _ = try await process.end()
        return process.output.elements + process.errors.elements
    }

    /// Brings a file or folder to another host.
    func copy(_ file: String, _ target: String) throws {
        try FileManager.default.copyItem(atPath: folder.file(file), toPath: folder.file(target))
    }
}
