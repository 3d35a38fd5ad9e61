import Foundation
import MobiusCommand
import Subprocess
import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// One run of one process of the fleet, from start to end.
///
/// Every process leads a process group of its own, so a Ctrl-C at the terminal reaches `mobius up` alone, which stops the
/// fleet in order; and what a process started dies with it.
struct ChildProcess: Sendable {
    let process: LaunchPlan.Process
    let baseEnvironment: [String: String]
    let board: OutputBoard
    let keeper: FleetGuard

    /// Why a process did not start, in words.
    struct StartError: Error {
        let reason: String
    }

    /// Starts the process, tells its pid, and returns when it has ended and its output is on its way.
    ///
    /// - Throws: ``StartError`` when there is no process.
    func run(onStart: (Int32) -> Void) async throws -> Termination {
        var options = PlatformOptions()
        options.processGroupID = 0
        let outlets = try Outlets(for: process, board: board)
        var pid: Int32?
        defer { outlets.finish() }
        do {
            let result = try await Subprocess.run(
                .path(FilePath(ExecShim.executable)),
                arguments: Arguments(ExecShim.arguments(executable: process.executable, process.arguments)),
                environment: .custom(process.variables(over: baseEnvironment)),
                workingDirectory: process.workingDirectory.map { FilePath($0) },
                platformOptions: options,
                input: .fileDescriptor(outlets.input, closeAfterSpawningProcess: false),
                output: .fileDescriptor(outlets.output, closeAfterSpawningProcess: false),
                error: .fileDescriptor(outlets.error, closeAfterSpawningProcess: false)
            ) { execution in
                outlets.closeChildEnds()
                pid = execution.processIdentifier.value
                keeper.began(execution.processIdentifier.value)
                onStart(execution.processIdentifier.value)
            }
            Self.kill(group: result.processIdentifier.value)
            keeper.ended(result.processIdentifier.value)
            return switch result.terminationStatus {
            case .exited(let code): .exited(code)
            case .signaled(let signal): .signaled(signal)
            }
        } catch let error as SubprocessError {
            guard let pid else { throw StartError(reason: "\(error)") }
            // Its end could not be observed; nothing of it may live on.
            Self.kill(group: pid)
            keeper.ended(pid)
            return .signaled(SIGKILL)
        }
    }

    /// Ends a process and all that is left of its group.
    static func kill(group pid: Int32) {
        #if canImport(Glibc)
            _ = Glibc.kill(-pid, SIGKILL)
        #else
            _ = Darwin.kill(-pid, SIGKILL)
        #endif
    }
}

extension LaunchPlan.Process {
    /// Its whole environment.
    func variables(over base: [String: String]) -> [Environment.Key: String] {
        let merged = base.merging(environment) { $1 }
        return Dictionary(uniqueKeysWithValues: merged.map { (Environment.Key(stringLiteral: $0.key), $0.value) })
    }
}

/// Where a process's standard streams go.
///
/// Workers: input is empty, output and errors are prefixed. The coordinator is the foreground: its output is `mobius up`'s
/// output, untouched; its errors too on a terminal (a live progress line must work), otherwise they are prefixed. It reads
/// `mobius up`'s input unless that is a terminal, which only its owner's group may read.
///
/// `@unchecked Sendable`: used by one task; the library's closure parameter asks for the mark.
private final class Outlets: @unchecked Sendable {
    private(set) var input = FileDescriptor.standardInput
    private(set) var output = FileDescriptor.standardOutput
    private(set) var error = FileDescriptor.standardError
    private var childEnds: [FileDescriptor] = []
    private var streams: [PrefixedStream] = []

    init(for process: LaunchPlan.Process, board: OutputBoard) throws {
        let isCoordinator = if case .coordinator = process.name { true } else { false }
        do {
            if !isCoordinator || isatty(STDIN_FILENO) == 1 {
                input = try FileDescriptor.open("/dev/null", .readOnly, options: .closeOnExec)
                childEnds.append(input)
            }
            if !isCoordinator {
                output = try prefixed(process, board)
            }
            if !(isCoordinator && board.isTerminal) {
                error = try prefixed(process, board)
            }
        } catch {
            closeChildEnds()
            finish()
            let advice = (error as? Errno) == .tooManyOpenFiles ? "; raise the limit (ulimit -n)" : ""
            throw ChildProcess.StartError(reason: "no pipe for its output: \(error)\(advice)")
        }
    }

    /// The parent's copies of the child's ends: pipes end only when these are closed too.
    func closeChildEnds() {
        childEnds.forEach { try? $0.close() }
        childEnds = []
    }

    func finish() {
        closeChildEnds()
        streams.forEach { $0.finish() }
        streams = []
    }

    private func prefixed(_ process: LaunchPlan.Process, _ board: OutputBoard) throws -> FileDescriptor {
        let (readEnd, writeEnd) = try FileDescriptor.pipe()
        // Not atomic with pipe(), but swift-subprocess closes every other descriptor in its children anyway.
        _ = fcntl(readEnd.rawValue, F_SETFD, FD_CLOEXEC)
        _ = fcntl(writeEnd.rawValue, F_SETFD, FD_CLOEXEC)
        childEnds.append(writeEnd)
        streams.append(board.attach(readEnd.rawValue, name: process.name, style: process.style))
        return writeEnd
    }
}
