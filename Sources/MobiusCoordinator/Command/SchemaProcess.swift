import Foundation
import MobiusCore
import MobiusDriver
import MobiusProgram
import ZeroMQ

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The forms of a program's types, found out by a second process of the same executable.
///
/// Finding them out runs the `init(from:)` of all types with samples, which a type may answer by a trap or by never
/// returning. Only that process ends then, after ten seconds at the latest, and a client gets an error.
enum SchemaProcess {
    /// The environment variable with which such a process is started.
    static let variable = "MOBIUS_PRINT_SCHEMA"
    private static let seconds = 10
    private static let maximumBytes = 64 << 20

    /// Whether this process is one.
    static var isThis: Bool { getenv(variable) != nil }

    /// Prints the schema.
    static func print<Program: LoopProgram>(_ program: Program.Type) {
        FileHandle.standardOutput.write(Data(ProgramSchema.json(of: program)))
    }

    /// Reads the schema on a thread of its own.
    @Sendable
    static func read(_ end: @escaping @Sendable (Result<[UInt8], SchemaFailure>) -> Void) {
        DetachedThread.run(named: "schema") {
            end(Result { () throws(SchemaFailure) in try run() })
        }
    }

    private static func run() throws(SchemaFailure) -> [UInt8] {
        let (process, output, errors) = (Process(), Pipe(), Pipe())
        #if os(Linux)
            // Also when the file was replaced or deleted since: the build that runs.
            process.executableURL = URL(fileURLWithPath: "/proc/self/exe")
        #else
            process.executableURL = Bundle.main.executableURL
        #endif
        var environment = ProcessInfo.processInfo.environment
        environment[variable] = "1"
        // A report would take seconds.
        environment["SWIFT_BACKTRACE"] = "enable=no"
        process.environment = environment
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = errors
        do {
            try process.run()
        } catch {
            throw SchemaFailure("a process for it could not be started: \(error)", isFinal: false)
        }
        defer {
            if process.isRunning { kill(process.processIdentifier, SIGKILL) }
            process.waitUntilExit()
        }
        var read = (json: [UInt8](), words: [UInt8]())
        let isWhole = drain(output.fileHandleForReading, errors.fileHandleForReading, &read)
        guard isWhole else {
            throw SchemaFailure(
                "the types' init(from:) took longer than \(seconds) seconds for samples", isFinal: false)
        }
        process.waitUntilExit()
        guard process.terminationReason == .exit, process.terminationStatus == 0 else {
            throw SchemaFailure(trap(process, read.words), isFinal: true)
        }
        return read.json
    }

    /// Reads both to their ends; returns `false` when the time is over first.
    private static func drain(
        _ output: FileHandle, _ errors: FileHandle, _ read: inout (json: [UInt8], words: [UInt8])
    ) -> Bool {
        let end = ContinuousClock.now + .seconds(seconds)
        var entries = [output, errors].map { pollfd(fd: $0.fileDescriptor, events: Int16(POLLIN), revents: 0) }
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while entries.contains(where: { $0.fd >= 0 }) {
            let left = ContinuousClock.now.duration(to: end) / .milliseconds(1)
            guard left > 0, read.json.count <= maximumBytes else { return false }
            guard poll(&entries, 2, Int32(left) + 1) > 0 else { continue }
            for place in entries.indices where entries[place].fd >= 0 && entries[place].revents != 0 {
                let count = Foundation.read(entries[place].fd, &buffer, buffer.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else {
                    entries[place].fd = -1
                    continue
                }
                if place == 0 { read.json += buffer[..<count] } else { read.words += buffer[..<count] }
                read.words = Array(read.words.suffix(4096))
            }
        }
        return true
    }

    /// What the process said last, or how it ended.
    private static func trap(_ process: Process, _ words: [UInt8]) -> String {
        let lines = String(decoding: words, as: UTF8.self).split(separator: "\n")
        let said = lines.last { $0.contains("rror: ") || $0.contains(" failed: ") }.map { ": \($0.prefix(500))" } ?? ""
        let ended =
            process.terminationReason == .exit
            ? "exited with code \(process.terminationStatus)" : "ended by signal \(process.terminationStatus)"
        return "an init(from:) of the program's types \(ended) for a sample\(said)"
    }
}
