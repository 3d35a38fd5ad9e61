import Foundation
import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The program of a running process, kept so that it can be executed again after its file was replaced or deleted.
///
/// The executable is the process's own, from `/proc/PID/exe`, held open: the system keeps its content for as long, also
/// without a name. With it are kept the command line, environment and folder. For a command that is a script, this is the
/// program that the script became with `exec`; otherwise it is the script's interpreter, which reads the script again.
final class KeptProcess: Sendable {
    /// The environment with which the process was started.
    let environment: [String: String]
    private let file: FileDescriptor
    private let words: [String]
    private let folder: String

    /// The reason why a process cannot be kept, as a part of a sentence.
    struct Failure: Error {
        let reason: String
    }

    /// Keeps what a running process executes.
    init(pid: Int32) throws(Failure) {
        #if os(Linux)
            do {
                file = try FileDescriptor.open("/proc/\(pid)/exe", .readOnly, options: .closeOnExec)
            } catch {
                throw Failure(reason: "the build that runs cannot be kept: /proc/\(pid)/exe: \(error)")
            }
            words = Self.texts("/proc/\(pid)/cmdline")
            let variables = Self.texts("/proc/\(pid)/environ").compactMap { text -> (String, String)? in
                guard let sign = text.firstIndex(of: "=") else { return nil }
                return (String(text[..<sign]), String(text[text.index(after: sign)...]))
            }
            environment = Dictionary(variables) { first, _ in first }
            folder = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(pid)/cwd")) ?? ""
            guard !words.isEmpty, !environment.isEmpty, !folder.isEmpty, !isShim else {
                try? file.close()
                throw Failure(reason: "the process \(pid) has not begun, or has ended; try again")
            }
        #else
            throw Failure(reason: "this system has no /proc, so there would be no way back; restart mobius up instead")
        #endif
    }

    deinit {
        try? file.close()
    }

    /// The process of the plan with what was kept in place of the file's content.
    func process(like process: LaunchPlan.Process) -> LaunchPlan.Process {
        var process = process
        process.executable = "/proc/\(getpid())/fd/\(file.rawValue)"
        process.firstWord = words[0]
        process.arguments = Array(words.dropFirst())
        process.environment = [:]
        process.workingDirectory = folder
        return process
    }

    /// Whether it is still ``ExecShim``, which has not executed the command yet.
    private var isShim: Bool { words.count > 1 && words[1] == ExecShim.commandName }

    /// The texts of a file that ends each with a zero byte.
    private static func texts(_ path: String) -> [String] {
        guard let file = fopen(path, "r") else { return [] }
        defer { fclose(file) }
        var content: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { content += buffer[..<count] }
        if content.last == 0 { content.removeLast() }
        guard !content.isEmpty else { return [] }
        return content.split(separator: 0, omittingEmptySubsequences: false).map { String(decoding: $0, as: UTF8.self) }
    }
}
