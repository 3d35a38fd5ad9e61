import FleetTestSupport
import Foundation
import MobiusTransport
import TestTraits
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// What does not start at all, because it would be open to strangers; the exit code is 78 then.
@Suite(.patient)
struct StartTests {
    private let folder: TestFolder

    init() throws {
        folder = try TestFolder()
    }

    private func run(_ executable: String, _ arguments: [String]) async throws -> (end: TestProcess.End, text: String) {
        let process = try TestProcess(executable, arguments, in: folder.path)
        let end = try await process.end()
        return (end, process.errors.elements.joined(separator: "\n"))
    }

    @Test(arguments: [
        ["--bind", "tcp://0.0.0.0:*"], ["--bind", "tcp://*:5799"], ["--bind", "tcp://[::]:*"],
        ["--bind", "tcp://127.0.0.1:*", "--client-bind", "tcp://0.0.0.0:*"],
    ])
    func aCoordinatorForAllWithoutKeys(arguments: [String]) async throws {
        let (end, text) = try await run("greeter-coordinator", arguments)
        #expect(end == .exited(78))
        #expect(text.contains("can be reached from other hosts, so it needs keys"))
        #expect(text.contains("mobius keys new NAME --worker POOL --keys keys"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [], "nothing was touched")
    }

    @Test func aWorkerOrClientOfAnotherHostWithoutAKey() async throws {
        let worker = try await run("greeter-worker", ["--connect", "tcp://192.0.2.1:5701"])
        #expect(worker.end == .exited(78))
        #expect(worker.text.contains("is on another host, so a key is needed"))
        let client = try await run("mobius", ["status", "--connect", "tcp://192.0.2.1:5702"])
        #expect(client.end == .exited(78))
        #expect(client.text.contains("is on another host, so a key is needed"))
    }

    @Test func aFolderWithoutKeys() async throws {
        let (end, text) = try await run("greeter-coordinator", ["--bind", "tcp://0.0.0.0:*", "--keys", "here"])
        #expect(end == .exited(78))
        #expect(
            text.contains(
                "here has no keys of a coordinator. Make them: mobius keys new NAME --worker POOL --keys here"))
    }

    @Test func keysThatOthersMayRead() async throws {
        let keys = KeyDirectory(folder.file("keys"))
        _ = try keys.add("ada", Rights(pools: .all), file: keys.path(ofKey: "ada"))
        for path in [keys.path(ofKey: "ada"), folder.file("keys/coordinator.key")] {
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        }
        let worker = try await run("greeter-worker", ["--key", keys.path(ofKey: "ada")])
        #expect(worker.end == .exited(78))
        #expect(worker.text.contains("others may read the key. Run: chmod 600"))
        let coordinator = try await run("greeter-coordinator", ["--bind", "tcp://127.0.0.1:*", "--keys", keys.path])
        #expect(coordinator.end == .exited(78))
        #expect(coordinator.text.contains("chmod 600 \(keys.path)/coordinator.key"))
    }

    @Test func anAllowListThatMakesNoSense() async throws {
        let keys = KeyDirectory(folder.file("keys"))
        _ = try keys.add("ada", Rights(pools: .all), file: keys.path(ofKey: "ada"))
        try Data("# mine\nada\n".utf8).write(to: URL(filePath: keys.allowListPath))
        let (end, text) = try await run("greeter-coordinator", ["--bind", "tcp://127.0.0.1:*", "--keys", keys.path])
        #expect(end == .exited(78))
        #expect(text.contains("\(keys.allowListPath):2: a line has a name, a public key and rights."))
    }

    @Test func aSocketInAFolderThatOthersMayEnter() async throws {
        try FileManager.default.createDirectory(
            atPath: folder.file("open"), withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])
        let (end, text) = try await run("greeter-coordinator", ["--bind", "ipc://\(folder.file("open"))/s"])
        #expect(end == .exited(78))
        #expect(text.contains("chmod 700 \(folder.file("open"))"))
        // With keys the folder need not protect it.
        let keys = KeyDirectory(folder.file("keys"))
        _ = try keys.add("ada", Rights(pools: .all), file: keys.path(ofKey: "ada"))
        let guarded = try TestProcess(
            "greeter-coordinator", ["--bind", "ipc://\(folder.file("open"))/s", "--keys", keys.path], in: folder.path)
        try await guarded.log("listening")
    }

    @Test func aCommandThatMakesNoSense() async throws {
        for arguments in [
            ["new", "ada"], ["new", "../ada", "--worker", "a"], ["new", "ada", "--client", "everything"],
            ["new", "ada", "--worker", "a b"],
        ] {
            #expect(try await run("mobius", ["keys"] + arguments + ["--keys", folder.file("keys")]).end == .exited(64))
        }
        #expect(!FileManager.default.fileExists(atPath: folder.file("keys")))
        #expect(try await run("mobius", ["keys", "list", "--keys", folder.file("none")]).end == .exited(73))
    }

    /// However few descriptors there are: it serves, or it ends and says why.
    ///
    /// When nobody could be made to answer for the allow-list, it waited for ever.
    @Test func aCoordinatorThatRunsOutOfDescriptors() async throws {
        let keys = KeyDirectory(folder.file("keys"))
        _ = try keys.add("ada", Rights(pools: .all), file: keys.path(ofKey: "ada"))
        let executable = try TestProcess.executable("greeter-coordinator").path
        var told = 0
        for limit in 12...40 {
            let process = try TestProcess(
                "/bin/sh",
                [
                    "-c", "ulimit -n \(limit); exec \(executable) --bind tcp://127.0.0.1:* --keys \(keys.path)",
                ], in: folder.path)
            try await process.errors.wait(for: "it to serve with \(limit), or to say why not") { lines in
                lines.contains { ["listening", "Error: ", "Too many open files"].contains(where: $0.contains) }
            }
            if process.errors.elements.contains(where: { $0.contains("listening") }) { break }
            let end = try await process.end()
            // What libzmq lacks in its own threads ends the process by its own hand.
            #expect([.exited(69), .exited(73), .exited(78), .signalled(SIGABRT)].contains(end), "\(limit): \(end)")
            if process.errors.elements.contains(where: { $0.contains("Cannot start the allow-list authenticator") }) {
                #expect(end == .exited(69))
                told += 1
            }
        }
        #expect(told > 0, "no limit left just too few for the allow-list")
    }
}
