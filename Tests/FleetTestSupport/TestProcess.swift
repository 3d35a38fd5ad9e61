public import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// One of the built executables, running for real; killed at the latest when the last reference is gone.
public final class TestProcess: Sendable {
    /// How a process ended.
    public enum End: Equatable, Sendable {
        /// With this code.
        case exited(Int32)
        /// By this signal.
        case signalled(Int32)
    }

    /// Its name in messages.
    public let name: String
    /// The lines of its standard output.
    public let output = Journey<String>()
    /// The lines of its standard error.
    public let errors = Journey<String>()
    private let ends = Journey<End>()
    /// The two outputs, as each is read to its end.
    private let read = Journey<String>()
    private let process = Process()

    /// Starts an executable of this package.
    ///
    /// - Parameters:
    ///   - environment: Added to the test's own, without its `MOBIUS_` variables.
    public init(
        _ executable: String, _ arguments: [String] = [], environment: [String: String] = [:], in folder: String? = nil
    ) throws {
        name = executable
        process.executableURL = try Self.executable(executable)
        process.arguments = arguments
        let inherited = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("MOBIUS_") }
        process.environment = inherited.merging(environment) { $1 }
        if let folder { process.currentDirectoryURL = URL(fileURLWithPath: folder) }
        process.standardInput = FileHandle.nullDevice
        let (out, err) = (Pipe(), Pipe())
        process.standardOutput = out
        process.standardError = err
        process.terminationHandler = { [ends] process in
            ends.add(
                process.terminationReason == .exit
                    ? .exited(process.terminationStatus) : .signalled(process.terminationStatus))
        }
        try process.run()
        Self.read(out, into: output) { [read] in read.add("output") }
        Self.read(err, into: errors) { [read] in read.add("errors") }
    }

    deinit {
        if process.isRunning { killProcess(process.processIdentifier, SIGKILL) }
    }

    /// Its process id.
    public var pid: Int32 { process.processIdentifier }

    /// Sends it a signal.
    public func signal(_ signal: Int32) {
        killProcess(pid, signal)
    }

    /// Waits for its end, and until what it said is in ``output`` and ``errors``.
    @discardableResult
    public func end(within limit: Duration = .seconds(60)) async throws -> End {
        do {
            try await ends.wait(within: limit, for: "the end of \(name)") { !$0.isEmpty }
        } catch let deadline as Deadline {
            throw Deadline(what: deadline.what, limit: limit, happened: errors.elements + output.elements)
        }
        // Its last words may still be on their way. A process that it left behind may keep them open for longer.
        try? await read.wait(within: .seconds(5), for: "the last words of \(name)") { $0.count == 2 }
        return ends.elements[0]
    }

    /// Kills it and waits until it is gone.
    public func kill() async throws {
        signal(SIGKILL)
        try await end()
    }

    /// Waits until standard error has a line with these words; such lines are its log.
    public func log(_ words: String, within limit: Duration = .seconds(30)) async throws {
        try await errors.wait(within: limit, for: "\"\(words)\" from \(name)") { lines in
            lines.contains { $0.contains(words) }
        }
    }

    private static func read(
        _ pipe: Pipe, into lines: Journey<String>, atEnd: @escaping @Sendable () -> Void
    ) {
        let thread = Thread {
            var rest: [UInt8] = []
            while case let data = pipe.fileHandleForReading.availableData, !data.isEmpty {
                rest.append(contentsOf: data)
                while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    lines.add(String(decoding: rest[..<end], as: UTF8.self))
                    rest.removeFirst(end + 1)
                }
            }
            if !rest.isEmpty { lines.add(String(decoding: rest, as: UTF8.self)) }
            atEnd()
        }
        thread.start()
    }

    /// The build folder holds the test bundle and the executables.
    public static func executable(_ name: String) throws -> URL {
        var folder = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        while folder.path != "/" {
            let candidate = folder.appendingPathComponent(name)
            var isFolder: ObjCBool = false
            if FileManager.default.fileExists(atPath: candidate.path, isDirectory: &isFolder), !isFolder.boolValue {
                return candidate
            }
            folder.deleteLastPathComponent()
        }
        throw MissingExecutable(name: name)
    }
}

/// The package was not built whole.
public struct MissingExecutable: Error, CustomStringConvertible {
    let name: String

    /// What to do.
    public var description: String { "\(name) is not built: run `swift build` first, as Tests/run does." }
}

/// A folder that is gone when the last reference is.
public final class TestFolder: Sendable {
    /// Its path.
    public let path: String

    /// Makes an empty folder.
    public init() throws {
        path = NSTemporaryDirectory() + "fleet-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The path of a file in it.
    public func file(_ name: String) -> String { path + "/" + name }
}

/// `kill(2)`, which a method of the same name would hide.
private func killProcess(_ pid: Int32, _ signal: Int32) {
    _ = kill(pid, signal)
}
