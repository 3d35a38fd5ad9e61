import Foundation
import MobiusProcess
import Subprocess
import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// One run of one process of the fleet, from start to end.
///
/// Every process leads a process group of its own, so Ctrl-C at the terminal reaches only `mobius up`, which stops the
/// fleet in order, and the children of a process are killed with it.
struct ChildProcess: Sendable {
    let process: LaunchPlan.Process
    let baseEnvironment: [String: String]
    let output: OutputMultiplexer
    let reaper: OrphanReaper

    /// The reason why a process did not start.
    struct StartError: Error {
        let reason: String
    }

    /// Starts the process, reports its pid, and returns after it has ended and its output was read.
    ///
    /// - Throws: ``StartError`` when the process could not be started.
    func run(onStart: (Int32) -> Void) async throws -> Termination {
        var options = PlatformOptions()
        options.processGroupID = 0
        let outlets = try Outlets(for: process, multiplexer: output)
        var pid: Int32?
        defer { outlets.finish() }
        do {
            let result = try await Subprocess.run(
                .path(FilePath(ExecShim.executable)),
                arguments: Arguments(
                    ExecShim.arguments(
                        executable: process.executable, name: process.firstWord, process.arguments)),
                environment: .custom(process.variables(over: baseEnvironment)),
                workingDirectory: process.workingDirectory.map { FilePath($0) },
                platformOptions: options,
                input: .fileDescriptor(outlets.input, closeAfterSpawningProcess: false),
                output: .fileDescriptor(outlets.output, closeAfterSpawningProcess: false),
                error: .fileDescriptor(outlets.error, closeAfterSpawningProcess: false)
            ) { execution in
                outlets.closeChildEnds()
                pid = execution.processIdentifier.value
                reaper.began(execution.processIdentifier.value)
                onStart(execution.processIdentifier.value)
            }
            Self.kill(group: result.processIdentifier.value)
            reaper.ended(result.processIdentifier.value)
            return switch result.terminationStatus {
            case .exited(let code): .exited(code)
            case .signaled(let signal): .signaled(signal)
            }
        } catch let error as SubprocessError {
            guard let pid else { throw StartError(reason: "\(error)") }
            // Its end could not be observed, so the whole group is killed.
            Self.kill(group: pid)
            reaper.ended(pid)
            return .signaled(SIGKILL)
        }
    }

    /// Kills a process and the rest of its process group.
    static func kill(group pid: Int32) {
        #if canImport(Glibc)
            _ = Glibc.kill(-pid, SIGKILL)
        #else
            _ = Darwin.kill(-pid, SIGKILL)
        #endif
    }
}

extension LaunchPlan.Process {
    /// The complete environment.
    func variables(over base: [String: String]) -> [Environment.Key: String] {
        let merged = base.merging(environment) { $1 }
        return Dictionary(uniqueKeysWithValues: merged.map { (Environment.Key(stringLiteral: $0.key), $0.value) })
    }
}

/// The standard streams of a process.
///
/// A worker's input is empty, and its output and errors are prefixed. The coordinator is the foreground process: its
/// output is the output of `mobius up`, unchanged, and so are its errors on a terminal, so that a live progress line
/// works; otherwise its errors are prefixed. Its input is that of `mobius up` unless that is a terminal, which only the
/// terminal's foreground group may read.
///
/// `@unchecked Sendable`: used by one task only, but the library requires a `Sendable` closure parameter.
private final class Outlets: @unchecked Sendable {
    private(set) var input = FileDescriptor.standardInput
    private(set) var output = FileDescriptor.standardOutput
    private(set) var error = FileDescriptor.standardError
    private var childEnds: [FileDescriptor] = []
    private var streams: [PrefixedStream] = []

    init(for process: LaunchPlan.Process, multiplexer: OutputMultiplexer) throws {
        let isCoordinator = if case .coordinator = process.name { true } else { false }
        do {
            if !isCoordinator || isatty(STDIN_FILENO) == 1 {
                input = try FileDescriptor.open("/dev/null", .readOnly, options: .closeOnExec)
                childEnds.append(input)
            }
            if !isCoordinator {
                output = try prefixed(process, multiplexer)
            }
            if !(isCoordinator && multiplexer.isTerminal) {
                error = try prefixed(process, multiplexer)
            }
        } catch {
            closeChildEnds()
            finish()
            let advice = (error as? Errno) == .tooManyOpenFiles ? "; raise the limit (ulimit -n)" : ""
            throw ChildProcess.StartError(reason: "no pipe for its output: \(error)\(advice)")
        }
    }

    /// Closes the parent's copies of the child's ends; a pipe ends only after these are closed, too.
    func closeChildEnds() {
        childEnds.forEach { try? $0.close() }
        childEnds = []
    }

    func finish() {
        closeChildEnds()
        streams.forEach { $0.finish() }
        streams = []
    }

    private func prefixed(_ process: LaunchPlan.Process, _ multiplexer: OutputMultiplexer) throws -> FileDescriptor {
        let (readEnd, writeEnd) = try FileDescriptor.pipe()
        // Not atomic with pipe(), but swift-subprocess closes every other descriptor in its children anyway.
        _ = fcntl(readEnd.rawValue, F_SETFD, FD_CLOEXEC)
        _ = fcntl(writeEnd.rawValue, F_SETFD, FD_CLOEXEC)
        childEnds.append(writeEnd)
        streams.append(multiplexer.attach(readEnd.rawValue, name: process.name, style: process.style))
        return writeEnd
    }
}
