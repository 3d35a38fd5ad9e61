import Foundation
import Subprocess
import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// One run of the coordinator's command with `--verify` added, while the coordinator runs.
///
/// It changes nothing, and ends with `mobius up`.
struct Verification: Sendable {
    let process: LaunchPlan.Process
    let reaper: OrphanReaper

    /// The last lines of its output are shown.
    private static let lines = 20
    private static let bytes = 16 << 10

    /// Runs it; returns the problem, or nil when it exited with 0.
    ///
    /// - Parameter tell: Gets the last lines of its output, when it has ended.
    func run(in base: [String: String], tell: (String) -> Void) async -> String? {
        var options = PlatformOptions()
        options.processGroupID = 0
        do {
            let output = try Self.temporaryFile()
            defer { try? output.close() }
            let result = try await Subprocess.run(
                .path(FilePath(ExecShim.executable)),
                arguments: Arguments(
                    ExecShim.arguments(executable: process.executable, process.arguments + ["--verify"])),
                environment: .custom(process.variables(over: base)),
                workingDirectory: process.workingDirectory.map { FilePath($0) },
                platformOptions: options,
                input: .none,
                output: .fileDescriptor(output, closeAfterSpawningProcess: false),
                error: .fileDescriptor(output, closeAfterSpawningProcess: false)
            ) { execution in
                reaper.began(execution.processIdentifier.value)
            }
            ChildProcess.kill(group: result.processIdentifier.value)
            reaper.ended(result.processIdentifier.value)
            for line in Self.lastLines(of: output) { tell(line) }
            return switch result.terminationStatus {
            case .exited(0): nil
            case .exited(let code): "it ended with exit code \(code)"
            case .signaled(let signal): "it ended with signal \(signal)"
            }
        } catch {
            return "it cannot be run: \(error)"
        }
    }

    /// A file without a name: its content may be of any size.
    private static func temporaryFile() throws -> FileDescriptor {
        var name = Array("\(NSTemporaryDirectory())/mobius-verify-XXXXXX".utf8CString)
        let descriptor = mkstemp(&name)
        guard descriptor >= 0 else { throw Errno(rawValue: errno) }
        unlink(name)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        return FileDescriptor(rawValue: descriptor)
    }

    private static func lastLines(of file: FileDescriptor) -> [String] {
        guard let end = try? file.seek(offset: 0, from: .end), end > 0 else { return [] }
        var buffer = [UInt8](repeating: 0, count: min(bytes, Int(end)))
        let count = buffer.withUnsafeMutableBytes {
            (try? file.read(fromAbsoluteOffset: end - Int64($0.count), into: $0)) ?? 0
        }
        let text = String(decoding: buffer[..<count], as: UTF8.self)
        return text.split(separator: "\n").suffix(lines).map(String.init)
    }
}
