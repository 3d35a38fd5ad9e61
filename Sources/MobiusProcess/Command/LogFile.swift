#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A file to which a process appends its log lines; it stays open until the process ends.
struct LogFile: Sendable {
    private let descriptor: Int32

    /// Opens the file, and makes it if it does not exist (mode 0640).
    ///
    /// - Throws: `FleetExit` 73 with the system's reason.
    init(path: String) throws(FleetExit) {
        descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o640)
        guard descriptor >= 0 else {
            throw FleetExit(
                .cannotCreate, "The log file \(path) cannot be opened: \(String(cString: strerror(errno))).")
        }
    }

    /// Appends a line; a full disk is ignored, because a log line must not end the program.
    func write(_ line: String) {
        var line = line
        _ = line.withUTF8 { StandardError.writeAll(UnsafeRawBufferPointer($0), to: descriptor) }
    }
}
