import Foundation
package import MobiusCore
package import MobiusDriver
package import MobiusProgram
import MobiusTransport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Does errands with the program's code in further processes of the same executable.
///
/// The code of a program may trap or never return. Only that process ends then, after ten seconds without progress at the
/// latest, and a client gets an error.
package final class ProgramProcess: ProgramSandbox {
    /// The environment variable with which such a process is started; its value is the errand.
    static let variable = "MOBIUS_PROGRAM_ERRAND"

    private let thread = BackgroundThread(name: "errands")

    /// Drops the calls that wait.
    func close() { thread.close() }

    package func aside(_ body: @escaping @Sendable () -> Void) { thread.run(body) }

    package func run(
        _ errand: ProgramErrand, _ feed: (_ send: ([UInt8]) throws -> Void) throws -> Void
    ) throws -> [UInt8] {
        let child = try ErrandChild(errand)
        defer { child.end() }
        do {
            try feed { try child.send($0) }
        } catch is ErrandChild.HasEnded {
            // Why it has ended is known with its answer.
        }
        return try child.answer()
    }

    // MARK: In the other process

    /// Does the errand if this process was started for one; returns whether it was.
    package static func isDone<Program: LoopProgram>(
        by functions: @autoclosure () -> any ProgramFunctions<Program>
    ) -> Bool {
        guard let name = getenv(variable), let errand = ProgramErrand(rawValue: String(cString: name)) else {
            return false
        }
        do {
            let answer = try errand.run(functions()) { readMessage() }
            FileHandle.standardOutput.write(Data(answer))
            return true
        } catch {
            fatalError("\(error)")
        }
    }

    private static func readMessage() -> [UInt8]? {
        guard let head = read(8) else { return nil }
        let length = head.reversed().reduce(0) { $0 << 8 | UInt64($1) }
        return read(Int(clamping: length))
    }

    private static func read(_ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        var end = 0
        while end < count {
            let read = bytes.withUnsafeMutableBytes {
                Foundation.read(STDIN_FILENO, $0.baseAddress! + end, count - end)
            }
            if read < 0, errno == EINTR { continue }
            guard read > 0 else { return nil }
            end += read
        }
        return bytes
    }
}

/// One process with its pipes.
private final class ErrandChild {
    /// The process has ended before it got everything.
    struct HasEnded: Error {}

    private static let seconds = 10
    private static let maximumBytes = (256 << 20) + (1 << 20)

    private let errand: ProgramErrand
    private let process = Process()
    private let output = Pipe()
    private let errors = Pipe()
    /// Our end of its standard input: a socket, so that a write to a process that has ended is an error and no signal.
    private var input: CInt
    private var entries: [pollfd] = []
    private var answerBytes: [UInt8] = []
    private var words: [UInt8] = []
    private var buffer = [UInt8](repeating: 0, count: 64 << 10)

    init(_ errand: ProgramErrand) throws(SandboxFailure) {
        self.errand = errand
        var ends: [CInt] = [-1, -1]
        guard socketpair(AF_UNIX, Self.streamType, 0, &ends) == 0 else {
            throw SandboxFailure("no socket for a process", isFinal: false)
        }
        input = ends[0]
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        _ = fcntl(ends[0], F_SETFL, fcntl(ends[0], F_GETFL) | O_NONBLOCK)
        #if canImport(Darwin)
            var on: CInt = 1
            setsockopt(ends[0], SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<CInt>.size))
        #endif
        #if os(Linux)
            // Also when the file was replaced or deleted since: the build that runs.
            process.executableURL = URL(fileURLWithPath: "/proc/self/exe")
        #else
            process.executableURL = Bundle.main.executableURL
        #endif
        var environment = ProcessInfo.processInfo.environment
        environment[ProgramProcess.variable] = errand.rawValue
        // A report would take seconds.
        environment["SWIFT_BACKTRACE"] = "enable=no"
        process.environment = environment
        process.standardInput = FileHandle(fileDescriptor: ends[1], closeOnDealloc: true)
        process.standardOutput = output
        process.standardError = errors
        do {
            try process.run()
        } catch {
            close(input)
            throw SandboxFailure("a process for it could not be started: \(error)", isFinal: false)
        }
        // The other process alone has that end from now on.
        try? (process.standardInput as? FileHandle)?.close()
        entries = [output.fileHandleForReading, errors.fileHandleForReading].map {
            pollfd(fd: $0.fileDescriptor, events: Int16(POLLIN), revents: 0)
        }
    }

    #if canImport(Glibc)
        private static let streamType = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        private static let sendFlags = CInt(MSG_NOSIGNAL)
    #elseif canImport(Musl)
        private static let streamType = SOCK_STREAM | SOCK_CLOEXEC
        private static let sendFlags = MSG_NOSIGNAL
    #else
        private static let streamType = SOCK_STREAM
        private static let sendFlags: CInt = 0
    #endif

    /// Sends a message, behind its length in 8 bytes.
    func send(_ message: [UInt8]) throws {
        let length = UInt64(message.count)
        try write((0..<8).map { UInt8(truncatingIfNeeded: length >> (8 * $0)) })
        try write(message)
    }

    private func write(_ bytes: [UInt8]) throws {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                Foundation.send(input, $0.baseAddress! + sent, $0.count - sent, Self.sendFlags)
            }
            if count > 0 {
                sent += count
            } else if errno == EAGAIN || errno == EWOULDBLOCK {
                let room = pollfd(fd: input, events: Int16(POLLOUT), revents: 0)
                try wait(until: { $0.last?.revents != 0 }, adding: room)
            } else if errno != EINTR {
                throw HasEnded()
            }
        }
    }

    /// Ends its input, and waits for its answer and its end.
    func answer() throws(SandboxFailure) -> [UInt8] {
        close(input)
        input = -1
        try wait(until: { _ in self.entries.allSatisfy { $0.fd < 0 } })
        process.waitUntilExit()
        guard process.terminationReason == .exit, process.terminationStatus == 0 else {
            throw SandboxFailure(ending, isFinal: true)
        }
        return answerBytes
    }

    /// Reads what it says until the condition holds; time is over when nothing has happened for long.
    private func wait(
        until isDone: ([pollfd]) -> Bool, adding extra: pollfd? = nil
    ) throws(SandboxFailure) {
        var end = ContinuousClock.now + .seconds(Self.seconds)
        while true {
            var polled = entries + (extra.map { [$0] } ?? [])
            if extra == nil, isDone(polled) { return }
            let left = ContinuousClock.now.duration(to: end) / .milliseconds(1)
            guard left > 0, answerBytes.count <= Self.maximumBytes else { throw late }
            guard poll(&polled, nfds_t(polled.count), CInt(left) + 1) > 0 else { continue }
            for place in entries.indices where entries[place].fd >= 0 && polled[place].revents != 0 {
                read(place)
                end = .now + .seconds(Self.seconds)
            }
            if extra != nil, isDone(polled) { return }
        }
    }

    private func read(_ place: Int) {
        let count = Foundation.read(entries[place].fd, &buffer, buffer.count)
        if count < 0, errno == EINTR { return }
        guard count > 0 else {
            entries[place].fd = -1
            return
        }
        if place == 0 { answerBytes += buffer[..<count] } else { words = (words + buffer[..<count]).suffix(64 << 10) }
    }

    private var late: SandboxFailure {
        let time = "took longer than \(Self.seconds) seconds"
        return SandboxFailure(
            errand == .schema ? "the types' init(from:) \(time) for samples" : "the program's code \(time)",
            isFinal: false)
    }

    /// A clause about the end of the process, with its last message of an error.
    private var ending: String {
        let lines = String(decoding: words, as: UTF8.self).split(separator: "\n")
        let said = lines.last { $0.contains("rror: ") || $0.contains(" failed: ") }.map { ": \($0.prefix(500))" } ?? ""
        let ended =
            process.terminationReason == .exit
            ? "exited with code \(process.terminationStatus)" : "ended by signal \(process.terminationStatus)"
        return errand == .schema
            ? "an init(from:) of the program's types \(ended) for a sample\(said)"
            : "a process that ran the program's code for it \(ended)\(said)"
    }

    /// Ends the process, if it runs.
    func end() {
        if input >= 0 { close(input) }
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
    }
}
