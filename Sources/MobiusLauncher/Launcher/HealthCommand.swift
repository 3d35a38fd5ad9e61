import MobiusProcess
import Subprocess
import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// One run of the command that checks the health of a process.
///
/// It runs in the process's folder and environment, with the process's pid in `MOBIUS_PID`; its output is discarded.
struct HealthCommand: Sendable {
    private let process: LaunchPlan.Process
    private let words: [String]
    private let pid: Int32
    private let timeout: Duration

    init(_ process: LaunchPlan.Process, words: [String], pid: Int32, timeout: Duration) {
        self.process = process
        self.words = words
        self.pid = pid
        self.timeout = timeout
    }

    /// Runs the command; returns the problem, or nil when it exited with 0 in time.
    func run(in base: [String: String]) async -> String? {
        var options = PlatformOptions()
        options.processGroupID = 0
        let timeout = timeout
        do {
            // The timer is cancelled when the closure has returned and the command has ended.
            let result = try await Subprocess.run(
                .path(FilePath(ExecShim.executable)),
                arguments: Arguments(ExecShim.arguments(executable: words[0], Array(words.dropFirst()))),
                environment: .custom(
                    process.variables(over: base).merging(["MOBIUS_PID": "\(pid)"]) { $1 }),
                workingDirectory: process.workingDirectory.map { FilePath($0) },
                platformOptions: options,
                input: .none, output: .discarded, error: .discarded
            ) { execution in
                let group = execution.processIdentifier.value
                return Task {
                    try await Task.sleep(for: timeout)
                    ChildProcess.kill(group: group)
                }
            }
            result.closureResult.cancel()
            let wasInTime = (try? await result.closureResult.value) == nil
            ChildProcess.kill(group: result.processIdentifier.value)
            guard wasInTime else { return "no answer within \(DurationArgument(timeout))" }
            switch result.terminationStatus {
            case .exited(0): return nil
            case .exited(let code): return "\(words[0]): exit code \(code)"
            case .signaled(let signal): return "\(words[0]): signal \(signal)"
            }
        } catch {
            return "\(words[0]) cannot be run: \(error)"
        }
    }
}
