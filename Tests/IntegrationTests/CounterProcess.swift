import FleetTestSupport
import Foundation
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// One of the counters, with somebody who types at it; killed at the latest when the last reference is gone.
final class CounterProcess: Sendable {
    /// Standard output, in the pieces in which it came.
    private let pieces = Journey<String>()
    /// Standard error, in the same way.
    private let errorPieces = Journey<String>()
    private let ends = Journey<TestProcess.End>()
    private let read = Journey<String>()
    private let process = Process()
    private let keys: FileHandle

    /// Starts one with a pipe for its keys and a pipe for what it shows.
    convenience init(
        _ executable: String, _ arguments: [String] = [], path: String? = nil, in folder: TestFolder
    ) throws {
        let (input, output) = (Pipe(), Pipe())
        try self.init(
            executable, arguments, path: path, in: folder, input: input.fileHandleForReading,
            output: output.fileHandleForWriting, keys: input.fileHandleForWriting, shown: output.fileHandleForReading)
    }

    /// Starts one at a terminal.
    convenience init(
        _ executable: String, _ arguments: [String] = [], at terminal: PseudoTerminal, in folder: TestFolder
    ) throws {
        try self.init(
            executable, arguments, path: nil, in: folder, input: terminal.inner, output: terminal.inner,
            keys: terminal.outer, shown: terminal.outer)
    }

    private init(
        _ executable: String, _ arguments: [String], path: String?, in folder: TestFolder, input: FileHandle,
        output: FileHandle, keys: FileHandle, shown: FileHandle
    ) throws {
        self.keys = keys
        process.executableURL = try TestProcess.executable(executable)
        process.arguments = arguments
        var environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("MOBIUS_") }
        environment["TERM"] = "xterm"
        if let path { environment["PATH"] = path }
        process.environment = environment
        process.currentDirectoryURL = URL(fileURLWithPath: folder.path)
        let errors = Pipe()
        process.standardInput = input
        process.standardOutput = output
        process.standardError = errors
        process.terminationHandler = { [ends] process in
            ends.add(
                process.terminationReason == .exit
                    ? .exited(process.terminationStatus) : .signalled(process.terminationStatus))
        }
        try process.run()
        if keys !== shown {
            // The process has its own; ours would keep the pipes from ending.
            try input.close()
            try output.close()
        }
        Self.read(shown, into: pieces) { [read] in read.add("output") }
        Self.read(errors.fileHandleForReading, into: errorPieces) { [read] in read.add("errors") }
    }

    deinit {
        if process.isRunning { signal(SIGKILL) }
    }

    /// Everything that it has shown.
    var screen: String { pieces.elements.joined() }

    /// The lines that it has shown, those with the number only.
    var counts: [String] {
        screen.split(separator: "\n").filter { $0.hasPrefix("count ") }.map { String($0.dropFirst(6)) }
    }

    /// Everything on its standard error.
    var errors: String { errorPieces.elements.joined() }

    /// Types keys.
    func type(_ keys: String) throws {
        try self.keys.write(contentsOf: Data(keys.utf8))
    }

    /// Ends its input.
    func endInput() throws {
        try keys.close()
    }

    /// Waits until it has shown the text.
    func shows(_ text: String) async throws {
        do {
            try await pieces.wait(for: "\"\(text)\"") { $0.joined().contains(text) }
        } catch {
            Issue.record("it said \(errors)")
            throw error
        }
    }

    /// Waits until its log has the words.
    func logs(_ words: String) async throws {
        try await errorPieces.wait(for: "\"\(words)\" in the log") { $0.joined().contains(words) }
    }

    /// Sends it a signal.
    func signal(_ signal: Int32) {
        _ = kill(process.processIdentifier, signal)
    }

    /// Waits for its end, and for its last words when they come through a pipe.
    @discardableResult
    func end() async throws -> TestProcess.End {
        do {
            try await ends.wait(for: "its end") { !$0.isEmpty }
        } catch {
            Issue.record("it goes on; it showed \(screen) and said \(errors)")
            throw error
        }
        try? await read.wait(within: .seconds(5), for: "its last words") { $0.contains("errors") }
        return ends.elements[0]
    }

    /// Waits for its end and its last words through a pipe, with all keys typed.
    func finish(typing keys: String) async throws -> TestProcess.End {
        try type(keys)
        try endInput()
        let end = try await end()
        try await read.wait(for: "its last words") { $0.count == 2 }
        return end
    }

    private static func read(
        _ handle: FileHandle, into pieces: Journey<String>, atEnd: @escaping @Sendable () -> Void
    ) {
        let thread = Thread {
            var buffer = [UInt8](repeating: 0, count: 4096)
            // FileHandle would wait until the buffer is full.
            while case let count = systemRead(handle.fileDescriptor, &buffer, buffer.count), count > 0 {
                pieces.add(String(decoding: buffer[..<count], as: UTF8.self))
            }
            atEnd()
        }
        thread.start()
    }
}

/// `read(2)`, which a method of the same name would hide.
private func systemRead(_ descriptor: Int32, _ buffer: inout [UInt8], _ count: Int) -> Int {
    read(descriptor, &buffer, count)
}
