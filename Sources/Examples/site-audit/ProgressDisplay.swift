import Foundation
import SiteAudit

/// Shows on standard error how far an audit is: one line that is written over on a terminal, a line now and then elsewhere.
struct ProgressDisplay: Sendable {
    private let isTerminal: Bool
    private let write: @Sendable (String) -> Void
    private var hasLine = false
    private var nextPlain = 0

    init(isTerminal: Bool, write: @escaping @Sendable (String) -> Void) {
        self.isTerminal = isTerminal
        self.write = write
    }

    static func forStandardError() -> ProgressDisplay {
        let canRewrite = isatty(STDERR_FILENO) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"
        return ProgressDisplay(isTerminal: canRewrite) {
            try? FileHandle.standardError.write(contentsOf: Data($0.utf8))
        }
    }

    mutating func show(_ progress: AuditProgress) {
        if isTerminal {
            // Back to the margin, and clear what a longer line left.
            write("\r\u{1B}[K\(Self.text(progress))")
            hasLine = true
        } else if progress.checked >= nextPlain {
            // Few lines for small sites and for large ones: each comes when a quarter more is done.
            nextPlain = max(progress.checked + 100, progress.checked * 5 / 4)
            write(Self.text(progress) + "\n")
        }
    }

    /// Makes room for other text.
    mutating func clear() {
        if hasLine { write("\r\u{1B}[K") }
        hasLine = false
    }

    static func text(_ progress: AuditProgress) -> String {
        let share = progress.known == 0 ? 0 : progress.checked * 100 / progress.known
        return "pages \(progress.pages), links \(progress.links), broken \(progress.broken); "
            + "addresses \(progress.checked) of \(progress.known) (\(share) %)"
    }
}
