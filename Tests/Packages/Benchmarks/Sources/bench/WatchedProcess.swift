import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A process whose log is read as it comes.
final class WatchedProcess: @unchecked Sendable {
    // @unchecked: the lines are accessed only with the condition's lock held.

    /// A line of its log, or an effect that a worker got.
    struct Line {
        /// Seconds of the monotonic clock: when an effect came, or a line was read.
        let time: Double
        /// The line; `nil` for an effect.
        let text: String?

        /// Whether it is an effect.
        var isEffect: Bool { text == nil }

        /// Whether it is a log line with these words.
        func isLog(_ words: String) -> Bool { text?.contains(words) ?? false }
    }

    /// Seconds of the monotonic clock, which all processes of a host share.
    static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    private let name: String
    private let process = Process()
    private let condition = NSCondition()
    private var known: [Line] = []
    private var hasEnded = false

    /// Starts it.
    ///
    /// - Parameter wrapper: A command that runs it on another host: see ``Hosts/on(_:)``.
    init(
        _ executable: URL, _ arguments: [String], environment: [String: String] = [:], in folder: URL,
        on wrapper: [String] = []
    ) throws {
        name = executable.lastPathComponent
        let command = wrapper + [executable.path] + arguments
        process.executableURL = URL(filePath: command[0])
        process.arguments = Array(command.dropFirst())
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.currentDirectoryURL = folder
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        let errors = Pipe()
        process.standardError = errors
        try process.run()
        let thread = Thread { [self] in read(errors.fileHandleForReading) }
        thread.start()
    }

    /// Its number.
    var pid: Int32 { process.processIdentifier }

    /// What it has written, since ``forget()``.
    var lines: [Line] {
        condition.lock()
        defer { condition.unlock() }
        return known
    }

    /// Forgets what it has written.
    func forget() {
        condition.lock()
        known = []
        condition.unlock()
    }

    /// Adds a line that it does not write.
    func note(_ text: String) { add([Line(time: Self.now, text: text)]) }

    /// Waits until what it has written is enough.
    func wait(_ what: String, for seconds: Double, until isEnough: ([Line]) -> Bool) throws {
        let end = Date(timeIntervalSinceNow: seconds)
        condition.lock()
        defer { condition.unlock() }
        while !isEnough(known) {
            guard !hasEnded, condition.wait(until: end) else {
                let log = known.compactMap(\.text).suffix(20).joined(separator: "\n")
                throw BenchError("\(name) has ended, or has had \(seconds) s, before \(what). It wrote:\n\(log)")
            }
        }
    }

    /// Sends it a signal.
    func signal(_ signal: Int32) { _ = Foundation.kill(process.processIdentifier, signal) }

    /// Waits until it has ended.
    func waitUntilEnd() { process.waitUntilExit() }

    /// Ends it at once.
    func kill() {
        signal(SIGKILL)
        process.waitUntilExit()
    }

    private func read(_ handle: FileHandle) {
        var rest = Data()
        while case let data = handle.availableData, !data.isEmpty {
            let time = Self.now
            rest += data
            var lines: [Line] = []
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                let text = String(decoding: rest[..<end], as: UTF8.self)
                rest = rest[rest.index(after: end)...]
                let nanoseconds = text.hasPrefix("effect ") ? Double(text.dropFirst(7)) : nil
                lines.append(Line(time: nanoseconds.map { $0 / 1e9 } ?? time, text: nanoseconds == nil ? text : nil))
            }
            add(lines)
        }
        condition.lock()
        hasEnded = true
        condition.unlock()
        condition.broadcast()
    }

    private func add(_ lines: [Line]) {
        condition.lock()
        known += lines
        condition.unlock()
        condition.broadcast()
    }
}
