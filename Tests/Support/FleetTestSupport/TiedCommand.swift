import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A command that ends with the process that starts it, also when that is killed: as `mobius up` starts its processes.
///
/// `mobius` first asks the kernel for SIGKILL at the end of the thread that started it, then executes the command; so the
/// thread must last: see ``LastingThread``. Elsewhere than on Linux it only executes the command.
public struct TiedCommand: Sendable {
    /// What to execute.
    public let executable: String
    /// Its arguments.
    public let arguments: [String]

    /// Ties a command to this process; the executable is a path.
    public init(_ executable: String, _ arguments: [String]) throws {
        var limits = rlimit()
        #if canImport(Glibc)
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits)
        #else
            getrlimit(RLIMIT_NOFILE, &limits)
        #endif
        self.executable = try TestProcess.executable("mobius").path
        self.arguments =
            ["__exec", "\(getpid())", "\(Int(clamping: limits.rlim_cur))", executable, executable] + arguments
    }
}

/// A thread that lasts as long as this process: the kernel ends tied processes with the thread that started them.
final class LastingThread: Sendable {
    static let shared = LastingThread()

    private let work = Mutex<[@Sendable () -> Void]>([])
    private let waiting = DispatchSemaphore(value: 0)

    private init() {
        Thread { [self] in
            while true {
                waiting.wait()
                work.withLock { $0.removeFirst() }()
            }
        }.start()
    }

    /// Starts a process there.
    func run(_ process: Process) throws {
        let (done, problem) = (DispatchSemaphore(value: 0), Problem())
        work.withLock { work in
            work.append {
                do { try process.run() } catch { problem.error.withLock { $0 = error } }
                done.signal()
            }
        }
        waiting.signal()
        done.wait()
        if let error = problem.error.withLock({ $0 }) { throw error }
    }

    private final class Problem: Sendable {
        let error = Mutex<(any Error)?>(nil)
    }
}
