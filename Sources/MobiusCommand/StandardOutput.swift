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
}
