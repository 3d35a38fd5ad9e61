import Foundation
import Subprocess
import Synchronization
import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Runs the guard and reports process groups to it; the guard cleans up if `mobius up` is killed, see ``GuardProcess``.
///
/// The kernel kills the processes that `mobius up` started (see ``ExecShim``), but not the children of those.
final class OrphanReaper: Sendable {
    /// The value of ``GuardProcess/variable`` in every process of the fleet; it is unique to the fleet.
    let mark = UUID().uuidString

    private struct State {
        /// The pipe to the guard while it runs.
        var pipe: FileDescriptor?
        var groups: Set<Int32> = []
        var isOver = false
    }

    private let state = Mutex(State())

    /// Adds a process group that has begun.
    func began(_ group: Int32) {
        state.withLock { state in
            state.groups.insert(group)
            tell("+\(group)\n", state)
        }
    }

    /// Removes a process group that has ended.
    func ended(_ group: Int32) {
        state.withLock { state in
            state.groups.remove(group)
            tell("-\(group)\n", state)
        }
    }

    /// Ends the guard, because the fleet has ended.
    func finish() {
        state.withLock { state in
            state.isOver = true
            tell("bye\n", state)
            hangUp(&state)
        }
    }

    /// Runs the guard until ``finish()``, and starts another one if it is killed; returns why none can be started.
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
        // A write to a suspended guard must not block the fleet.
        _ = fcntl(writeEnd.rawValue, F_SETFL, O_NONBLOCK)
        state.withLock { state in
            state.pipe = writeEnd
            for group in state.groups { tell("+\(group)\n", state) }
            // `finish()` was called while the guard was being started: closing the pipe ends it.
            if state.isOver { hangUp(&state) }
        }
        defer { state.withLock { hangUp(&$0) } }
        var options = PlatformOptions()
        // A session of its own, so that signals to the terminal's processes do not reach the guard.
        options.createSession = true
        _ = try await Subprocess.run(
            .path(FilePath(ExecShim.executable)), arguments: [GuardProcess.commandName, mark],
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
