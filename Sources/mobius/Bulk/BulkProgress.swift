import MobiusClient
import MobiusProcess

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The progress of a bulk send, five times a second on standard error if that is a terminal.
struct BulkProgress {
    private let size: Int?
    private let isTerminal = isatty(STDERR_FILENO) == 1
    private var next = ContinuousClock.now
    private var isShown = false

    init(size: Int?) {
        self.size = size
    }

    mutating func show(_ report: BulkSend.Report, read: Int) {
        guard isTerminal, next <= .now else { return }
        next = .now + .milliseconds(200)
        isShown = true
        let part = size.flatMap { $0 > 0 ? "\(min(100, read * 100 / $0)) % read, " : nil } ?? ""
        StandardError.write("\r\u{1B}[K\(part)\(report.applied) applied, all up to line \(report.lastLine)")
    }

    /// Clears the line.
    mutating func end() {
        if isShown { StandardError.write("\r\u{1B}[K") }
    }
}
