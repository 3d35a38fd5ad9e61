import MobiusCommand

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// How far long work has come, on standard error while that is a terminal; otherwise nothing.
final class ProgressLine {
    private let words: String
    private let isSeen = isatty(STDERR_FILENO) == 1
    private var shown = -1

    init(_ words: String) {
        self.words = words
    }

    /// Shows the percentage, if it is another than before.
    func show(_ done: Int, of total: Int) {
        guard isSeen, total > 0 else { return }
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
