import Foundation
import Subprocess
import Synchronization
import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// What `mobius up` tells its guard, a process that cleans up should `mobius up` be killed; see ``GuardProcess``.
///
/// The kernel ends the processes that `mobius up` started (see ``ExecShim``), but not those that they started.
final class FleetGuard: Sendable {
    /// What every process of the fleet has in ``GuardProcess/variable``; no other fleet has it.
    let mark = UUID().uuidString

    private struct State {
        /// The pipe to the guard while it runs.
        var pipe: FileDescriptor?
        var groups: Set<Int32> = []
        var isOver = false
    }

    private let state = Mutex(State())

    /// A process group began.
    func began(_ group: Int32) {
        state.withLock { state in
            state.groups.insert(group)
            tell("+\(group)\n", state)
        }
    }

    /// A process group has ended.
    func ended(_ group: Int32) {
        state.withLock { state in
            state.groups.remove(group)
            tell("-\(group)\n", state)
        }
    }

    /// The fleet has ended; the guard may go.
    func finish() {
        state.withLock { state in
            state.isOver = true
            tell("bye\n", state)
            hangUp(&state)
        }
    }

    /// Runs the guard until ``finish()``, another one if it should be killed; returns why none can be started.
    func run() async -> String? {
        while !state.withLock({ $0.isOver }), !Task.isCancelled {
            do {
                try await runOnce()
            } catch {
                return "\(error)"
            }
        }
        return nil
    }

    private func runOnce() async throws {
        let (readEnd, writeEnd) = try FileDescriptor.pipe()
        defer { try? readEnd.close() }
        _ = fcntl(readEnd.rawValue, F_SETFD, FD_CLOEXEC)
        _ = fcntl(writeEnd.rawValue, F_SETFD, FD_CLOEXEC)
        // A guard that is stopped must not stop the fleet.
        _ = fcntl(writeEnd.rawValue, F_SETFL, O_NONBLOCK)
        state.withLock { state in
            state.pipe = writeEnd
            for group in state.groups { tell("+\(group)\n", state) }
            // Over while this began: its end of the pipe ends it.
            if state.isOver { hangUp(&state) }
        }
        defer { state.withLock { hangUp(&$0) } }
        var options = PlatformOptions()
        // Whatever ends the terminal's processes leaves the guard.
        options.createSession = true
        _ = try await Subprocess.run(
            .path(FilePath(ExecShim.executable)), arguments: [GuardProcess.word, mark],
            environment: .inherit.updating([Environment.Key(stringLiteral: GuardProcess.variable): nil]),
            workingDirectory: "/", platformOptions: options,
            input: .fileDescriptor(readEnd, closeAfterSpawningProcess: false), output: .discarded, error: .discarded)
    }

    private func hangUp(_ state: inout State) {
        try? state.pipe?.close()
        state.pipe = nil
    }

    private func tell(_ line: String, _ state: State) {
        _ = try? state.pipe?.writeAll(line.utf8)
    }
}
