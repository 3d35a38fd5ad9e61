import Foundation
import MobiusProcess

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The hidden command `mobius __guard MARK`: outlives `mobius up`, and kills what is left of its fleet.
///
/// It reads lines: `+N` when a process group begins, `-N` when it has ended, `bye` when the fleet has ended in order.
/// When its input ends without `bye`, `mobius up` was killed. The guard then kills the remaining groups and, on Linux,
/// every process that has the mark in its environment, which includes processes that began a session of their own.
enum GuardProcess {
    static let commandName = "__guard"

    /// The environment variable that marks every process of a fleet.
    static let variable = SupervisedEnd.variable

    /// The maximum number of passes over all processes; a pass is repeated because a process may start others
    /// meanwhile.
    private static let rounds = 50

    /// Runs the guard and exits; `arguments` are those after the command name.
    static func run(_ arguments: [String]) -> Never {
        guard arguments.count == 1 else {
            StandardError.write("mobius: \(commandName) is for mobius up only\n")
            exit(64)
        }
        for number in [SIGTERM, SIGINT, SIGHUP, SIGQUIT] { signal(number, SIG_IGN) }
        var groups: Set<Int32> = []
        while let line = readLine() {
            if line == "bye" { exit(0) }
            guard let group = Int32(line.dropFirst()), group > 1 else { continue }
            if line.hasPrefix("+") { groups.insert(group) } else { groups.remove(group) }
        }
        for group in groups { ChildProcess.kill(group: group) }
        let mark = "\(variable)=\(arguments[0])"
        for _ in 0..<rounds where killMarked(mark) == 0 { break }
        exit(0)
    }

    /// Kills the processes with the mark; returns how many there were.
    private static func killMarked(_ mark: String) -> Int {
        #if os(Linux)
            let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
            let marked = names.compactMap { Int32($0) }.filter { pid in
                pid != getpid() && hasMark(pid, Array(mark.utf8))
            }
            for pid in marked { _ = kill(pid, SIGKILL) }
            return marked.count
        #else
            return 0
        #endif
    }

    private static func hasMark(_ pid: Int32, _ mark: [UInt8]) -> Bool {
        // The environment of another user's process is not readable, and that of a dead one is empty.
        guard let file = fopen("/proc/\(pid)/environ", "r") else { return false }
        defer { fclose(file) }
        var content: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { content += buffer[..<count] }
        return content.split(separator: 0).contains { $0.elementsEqual(mark) }
    }
}
