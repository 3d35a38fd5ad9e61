import ArgumentParser
import Synchronization

#if canImport(Glibc)
    @preconcurrency import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The process's standard output.
package enum StandardOutput {
    /// The error number of a ``flush()`` that failed; 0 while none did.
    private static let failure = Atomic<Int32>(0)

    /// Writes each line when it is complete, also into a pipe or a file, so that readers get it at once.
    package static func bufferLines() {
        setvbuf(stdout, nil, _IOLBF, 0)
    }

    /// Hands what was printed to the system, so that readers of a command that goes on get it at once.
    ///
    /// - Throws: `FleetExit`, so that the command ends: 74 when it cannot be written, and 0 without a message when the reader of a
    ///   pipe has closed it, which wants no more.
    package static func flush() throws(FleetExit) {
        errno = 0
        guard fflush(stdout) != 0 || ferror(stdout) != 0 else { return }
        // For ``checkAtExit()``, which says it: the next flush would have nothing left to fail with.
        failure.store(errno, ordering: .relaxed)
        throw FleetExit(errno == EPIPE ? .success : .dataError, "")
    }

    /// Makes an exit fail when something printed could not be written: the process says so, and exits with 74.
    ///
    /// Called once, at the start of an executable. A reader that has closed its pipe wanted no more, and is no failure.
    package static func checkAtExit() {
        atexit {
            errno = 0
            guard fflush(stdout) != 0 || ferror(stdout) != 0 else { return }
            let code = errno != 0 ? errno : StandardOutput.failure.load(ordering: .relaxed)
            guard code != EPIPE else { return }
            let reason = code == 0 ? "an earlier write failed" : String(cString: strerror(code))
            StandardError.write("Error: Standard output cannot be written: \(reason).\n")
            _exit(ExitCode.dataError.rawValue)
        }
    }
}
