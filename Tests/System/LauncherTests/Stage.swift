import FleetTestSupport
import Foundation
import Subprocess
import SystemPackage
import Testing

/// A temporary folder with scripts, a topology, and a diary that the scripts write into; removed at the end.
final class Stage: Sendable {
    private let folder: TestFolder

    init() throws {
        folder = try TestFolder()
    }

    func path(_ name: String) -> String {
        URL(fileURLWithPath: folder.path).standardized.appendingPathComponent(name).path
    }

    func write(_ name: String, _ text: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path(name)))
    }

    func read(_ name: String) throws -> String {
        String(decoding: try Data(contentsOf: URL(fileURLWithPath: path(name))), as: UTF8.self)
    }

    /// Writes an executable `/bin/sh` script.
    func script(_ name: String, _ body: String = "exit 0") throws {
        try folder.script(name, body)
    }

    /// The built `mobius` executable.
    static func mobius() throws -> String { try TestProcess.executable("mobius").path }
}

/// How a run of `mobius` ended.
struct FleetEnd {
    let status: TerminationStatus
    let output: String
    let errors: String

    /// What `mobius up` and the processes wrote to stderr, line by line.
    var lines: [String] { errors.split(separator: "\n").map(String.init) }
}

extension Stage {
    /// Runs `mobius` in the stage's folder; the closure may send signals and wait for the diary meanwhile.
    ///
    /// Scripts find the diary's path in `DIARY`.
    ///
    /// - Parameter ulimit: What the shell's `ulimit` is given before.
    func mobius(
        _ arguments: [String], adding variables: [Environment.Key: String?] = [:], ulimit: String? = nil,
        during body: (Int32) async throws -> Void = { _ in }
    ) async throws -> FleetEnd {
        let output = try openForWriting("stdout")
        let errors = try openForWriting("stderr")
        defer {
            try? output.close()
            try? errors.close()
        }
        let limit = ulimit.map { "ulimit \($0); " } ?? ""
        // swift-subprocess starts all processes on one thread, which lasts.
        let command = try TiedCommand(
            "/bin/sh", ["-c", "\(limit)exec \"$0\" \"$@\"", try Self.mobius()] + arguments)
        let result = try await Subprocess.run(
            .path(FilePath(command.executable)), arguments: Arguments(command.arguments),
            environment: environment.updating(variables),
            workingDirectory: FilePath(path("")),
            input: .none,
            output: .fileDescriptor(output, closeAfterSpawningProcess: false),
            error: .fileDescriptor(errors, closeAfterSpawningProcess: false)
        ) { execution in
            try await body(execution.processIdentifier.value)
        }
        return FleetEnd(status: result.terminationStatus, output: try read("stdout"), errors: try read("stderr"))
    }

    /// Runs another `mobius` beside the one that runs already.
    func command(_ arguments: [String], adding variables: [Environment.Key: String?] = [:]) async throws -> FleetEnd {
        let result = try await Subprocess.run(
            .path(FilePath(try Self.mobius())), arguments: Arguments(arguments),
            environment: environment.updating(["MOBIUS_CONTROL": nil, "MOBIUS_FLEET": nil]).updating(variables),
            workingDirectory: FilePath(path("")),
            output: .string(limit: 1 << 20), error: .string(limit: 1 << 20))
        return FleetEnd(
            status: result.terminationStatus, output: result.standardOutput, errors: result.standardError)
    }

    /// Waits until the errors of the running `mobius` hold these words.
    func errors(contain words: String) async throws {
        try await eventually("\"\(words)\" among the errors") { try read("stderr").contains(words) }
    }

    /// What the scripts find; fleets that run beside are not seen, and what a killed `mobius up` leaves goes with the stage.
    var environment: Environment {
        .inherit.updating([
            "DIARY": path("diary"), "STAGE": path(""), "MOBIUS_RUNTIME_DIR": path(""), "MOBIUS_LOG_LEVEL": nil,
        ])
    }

    private func openForWriting(_ name: String) throws -> FileDescriptor {
        try FileDescriptor.open(
            path(name), .writeOnly, options: [.create, .truncate, .closeOnExec], permissions: [.ownerReadWrite])
    }
}
