import MobiusProcess

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The progress of a long operation, shown on standard error if that is a terminal.
final class ProgressLine {
    private let words: String
    private let isTerminal = isatty(STDERR_FILENO) == 1
    private var shown = -1

    init(_ words: String) {
        self.words = words
    }

    /// Shows the percentage, if it has changed.
    func show(_ done: Int, of total: Int) {
        guard isTerminal, total > 0 else { return }
        let percent = done * 100 / total
        guard percent != shown else { return }
        shown = percent
        StandardError.write("\r\(words) \(percent) %")
    }

    /// Clears the line.
    func end() {
        if shown >= 0 { StandardError.write("\r\u{1B}[K") }
    }
}
