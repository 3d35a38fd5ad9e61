import FleetTestSupport
import Foundation
import MobiusTransport
import Testing

/// The small app of the README with keys, as processes: its coordinator, and a folder of keys.
final class GuardedFleet: Sendable {
    let folder: TestFolder
    let coordinator: TestProcess
    /// Where workers connect.
    let endpoint: String
    /// Where clients connect.
    let clients: String

    /// Starts a coordinator that asks for keys, unless `keys` says otherwise; the folder of keys is there before.
    ///
    /// - Parameters:
    ///   - former: The folder of one that has ended, whose keys and journal it takes over.
    init(
        guests: [String] = [], keys: Bool = true, bind: String = "tcp://127.0.0.1:*", options: [String] = [],
        in former: TestFolder? = nil
    ) async throws {
        folder = try former ?? TestFolder()
        let directory = KeyDirectory(folder.file("keys"))
        let isFirst = !FileManager.default.fileExists(atPath: directory.path)
        for (name, rights) in isFirst ? Self.peers : [] {
            _ = try directory.add(name, try Rights(words: rights), file: directory.path(ofKey: name))
        }
        coordinator = try TestProcess(
            "greeter-coordinator",
            ["--bind", bind, "--journal", folder.file("journal")] + (keys ? ["--keys", directory.path] : [])
                + options + guests)
        try await coordinator.log("listening")
        let line = try #require(coordinator.errors.elements.first { $0.contains("listening") })
        func field(_ name: String) throws -> String {
            let word = try #require(line.split(separator: " ").first { $0.hasPrefix("\(name)=") })
            return word.dropFirst(name.count + 1).replacingOccurrences(of: "0.0.0.0", with: "127.0.0.1")
        }
        (endpoint, clients) = (try field("endpoint"), try field("clients"))
    }

    /// Whose keys are made, and for what.
    private static let peers: [(String, [Substring])] = [
        ("worker", ["worker=greeters"]), ("second", ["worker=*"]), ("other", ["worker=others,more"]),
        ("reader", ["client=read"]), ("sender", ["client=send"]), ("admin", ["client=admin,models,read,send"]),
    ]

    /// Where it serves probes and metrics, if its options say so.
    func probes() async throws -> String {
        try await coordinator.log("serving probes and metrics")
        let line = coordinator.errors.elements.last { $0.contains("serving probes and metrics") } ?? ""
        let port = line.split(separator: " ").first { $0.hasPrefix("port=") }?.dropFirst(5) ?? ""
        return "127.0.0.1:\(port)"
    }

    /// A new server of its loops over HTTP.
    func serve() async throws -> ServeProcess { try await ServeProcess(of: clients) }

    /// The file of a peer's key.
    func key(_ name: String) -> String { folder.file("keys/\(name).key") }

    /// Starts a worker with this key.
    func worker(key: String?) throws -> TestProcess {
        try TestProcess("greeter-worker", ["--connect", endpoint] + (key.map { ["--key", self.key($0)] } ?? []))
    }

    /// Runs a command to its end as the holder of this key; returns how it ended, and all that it said.
    func mobius(_ arguments: [String], key: String?) async throws -> (end: TestProcess.End, text: String) {
        let process = try TestProcess(
            "mobius",
            arguments + ["--connect", clients, "--timeout", "40s"] + (key.map { ["--key-file", self.key($0)] } ?? []))
        let end = try await process.end()
        return (end, (process.output.elements + process.errors.elements).joined(separator: "\n"))
    }

    /// Runs `mobius keys`.
    @discardableResult
    func keys(_ arguments: String...) async throws -> String {
        let process = try TestProcess("mobius", ["keys"] + arguments + ["--keys", folder.file("keys")])
        #expect(try await process.end() == .exited(0))
        return process.output.elements.joined(separator: "\n")
    }

    /// Waits until the worker has greeted this guest, whom a client sends.
    func greet(_ guest: String, at worker: TestProcess) async throws {
        let (end, text) = try await mobius(
            ["send", "{\"guestArrived\":{\"_0\":\"\(guest)\"}}"], key: "sender")
        #expect(end == .exited(0), "\(text)")
        try await worker.output.wait(for: guest) { $0.contains("Hello, \(guest)!") }
    }
}
