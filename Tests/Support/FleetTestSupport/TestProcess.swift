public import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// One of the built executables, running for real; killed at the latest when the last reference is gone, or when the test
/// run ends, however it ends.
public final class TestProcess: Sendable {
    /// How a process ended.
    public enum End: Equatable, Sendable {
        /// With this code.
        case exited(Int32)
        /// By this signal.
        case signalled(Int32)
    }

    /// Who types what it reads, and sees what it writes.
    public enum Input: Sendable {
        /// Nobody: its input is empty.
        case none
        /// The test, through a pipe.
        case pipe
        /// The test, at a terminal, which shows what it writes to standard output.
        case terminal(PseudoTerminal)
    }

    /// Its name in messages.
    public let name: String
    /// The lines of its standard output, unless they go to a terminal.
    public let output = Journey<String>()
    /// The lines of its standard error.
    public let errors = Journey<String>()
    private let ends = Journey<End>()
    /// The two outputs, as each is read to its end.
    private let read = Journey<String>()
    private let input: Input
    /// What the test types through, if it does.
    private let pipe: Pipe?
    private let process = Process()

    /// Starts an executable of this package, or of the system when its path is absolute.
    ///
    /// - Parameters:
    ///   - environment: Added to the test's own, without its `MOBIUS_` variables and with `SWIFT_BACKTRACE=enable=no`.
    public init(
        _ executable: String, _ arguments: [String] = [], environment: [String: String] = [:],
        in folder: String? = nil, input: Input = .none
    ) throws {
        name = executable
        self.input = input
        if case .pipe = input { pipe = Pipe() } else { pipe = nil }
        let command = try TiedCommand(Self.executable(executable).path, arguments)
        process.executableURL = URL(fileURLWithPath: command.executable)
        process.arguments = command.arguments
        var inherited = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("MOBIUS_") }
        // Whoever is killed while it prints a backtrace leaves its helper behind for ever, with the pipes that it inherited.
        inherited["SWIFT_BACKTRACE"] = "enable=no"
        process.environment = inherited.merging(environment) { $1 }
        if let folder { process.currentDirectoryURL = URL(fileURLWithPath: folder) }
        let (out, err) = (Pipe(), Pipe())
        switch input {
        case .none: (process.standardInput, process.standardOutput) = (FileHandle.nullDevice, out)
        case .pipe: (process.standardInput, process.standardOutput) = (pipe as Any, out)
        case .terminal(let terminal): (process.standardInput, process.standardOutput) = (terminal.inner, terminal.inner)
        }
        process.standardError = err
        process.terminationHandler = { [ends] process in
            ends.add(
                process.terminationReason == .exit
                    ? .exited(process.terminationStatus) : .signalled(process.terminationStatus))
        }
        try LastingThread.shared.run(process)
        if case .terminal = input {
            read.add("output")
        } else {
            Self.read(out, into: output) { [read] in read.add("output") }
        }
        Self.read(err, into: errors) { [read] in read.add("errors") }
    }

    deinit {
        if process.isRunning { killProcess(process.processIdentifier, SIGKILL) }
        // Foundation keeps a process that has run, and what it was given: a long test would run out of descriptors.
        try? pipe?.fileHandleForWriting.close()
    }

    /// Its process id.
    public var pid: Int32 { process.processIdentifier }

    /// Types at it; only where the test is its ``Input``.
    public func type(_ text: String) throws {
        switch input {
        case .none: preconditionFailure("\(name) was started without an input to type into")
        case .pipe: try pipe?.fileHandleForWriting.write(contentsOf: Data(text.utf8))
        case .terminal(let terminal): try terminal.type(text)
        }
    }

    /// Puts these bytes into its pipe, and ends the input.
    public func type(all bytes: [UInt8]) throws {
        try pipe?.fileHandleForWriting.write(contentsOf: Data(bytes))
        try endInput()
    }

    /// Ends the input that comes through a pipe.
    public func endInput() throws {
        try pipe?.fileHandleForWriting.close()
    }

    /// Sends it a signal.
    public func signal(_ signal: Int32) {
        killProcess(pid, signal)
    }

    /// Whether a signal has stopped it.
    public var isStopped: Bool {
        #if os(Linux)
            // "PID (NAME) STATE …"
            let stat = (try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)) ?? ""
            return stat.split(separator: ")").last?.hasPrefix(" T ") == true
        #else
            let output = Pipe()
            let ps = Process()
            ps.executableURL = URL(fileURLWithPath: "/bin/ps")
            ps.arguments = ["-o", "stat=", "-p", "\(pid)"]
            ps.standardOutput = output
            guard (try? ps.run()) != nil else { return false }
            return output.fileHandleForReading.readDataToEndOfFile().first == UInt8(ascii: "T")
        #endif
    }

    /// Waits for its end, and until what it said is in ``output`` and ``errors``.
    @discardableResult
    public func end(within limit: Duration? = nil) async throws -> End {
        do {
            try await ends.wait(within: limit, for: "the end of \(name)") { !$0.isEmpty }
        } catch let deadline as Deadline {
            throw Deadline(what: deadline.what, limit: deadline.limit, happened: errors.elements + output.elements)
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
    public func log(_ words: String) async throws {
        try await errors.wait(for: "\"\(words)\" from \(name)") { lines in
            lines.contains { $0.contains(words) }
        }
    }

    private static func read(
        _ pipe: Pipe, into lines: Journey<String>, atEnd: @escaping @Sendable () -> Void
    ) {
        let thread = Thread {
            var rest: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 64 << 10)
            while true {
                // FileHandle would trap when a signal interrupts it.
                let count = readSome(pipe.fileHandleForReading.fileDescriptor, &buffer, buffer.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { break }
                // Each byte is searched once: a bank's model is one line of many megabytes.
                var new = buffer[..<count]
                while let end = new.firstIndex(of: UInt8(ascii: "\n")) {
                    rest.append(contentsOf: new[..<end])
                    lines.add(String(decoding: rest, as: UTF8.self))
                    rest.removeAll(keepingCapacity: true)
                    new = new[(end + 1)...]
                }
                rest.append(contentsOf: new)
            }
            if !rest.isEmpty { lines.add(String(decoding: rest, as: UTF8.self)) }
            try? pipe.fileHandleForReading.close()
            atEnd()
        }
        thread.start()
    }

    /// The build folder holds the test bundle and the executables.
    public static func executable(_ name: String) throws -> URL {
        if name.hasPrefix("/") { return URL(fileURLWithPath: name) }
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
    public var description: String {
        "\(name) is not built: run `Deploy/build --build-tests` first, as Tests/run does."
    }
}

/// `kill(2)`, which a method of the same name would hide.
private func killProcess(_ pid: Int32, _ signal: Int32) {
    _ = kill(pid, signal)
}

/// The system's read, which the type's own function hides.
private func readSome(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer, _ count: Int) -> Int {
    read(descriptor, buffer, count)
}
