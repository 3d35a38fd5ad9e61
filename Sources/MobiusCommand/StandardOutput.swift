import ArgumentParser

#if canImport(Glibc)
    @preconcurrency import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The process's standard output.
package enum StandardOutput {
    /// Writes each line when it is complete, also into a pipe or a file, so that readers get it at once.
    package static func bufferLines() {
        setvbuf(stdout, nil, _IOLBF, 0)
    }

    /// Makes an exit fail when something printed could not be written: the process says so, and exits with 74.
    ///
    /// Called once, at the start of an executable. A reader that has closed its pipe wanted no more, and is no failure.
    package static func checkAtExit() {
        atexit {
            errno = 0
            guard fflush(stdout) != 0 || ferror(stdout) != 0, errno != EPIPE else { return }
            let reason = errno == 0 ? "an earlier write failed" : String(cString: strerror(errno))
            StandardError.write("Error: Standard output cannot be written: \(reason).\n")
            _exit(ExitCode.dataError.rawValue)
        }
    }
}
