import Foundation
import MobiusProcess
import SiteAudit

/// Shows on standard error how far an audit is.
///
/// On a terminal, that is a line for each of the first broken links, and below them one line that is written over;
/// elsewhere a line now and then.
struct ProgressDisplay: Sendable {
    private let isTerminal: Bool
    private let write: @Sendable (String) -> Void
    private var hasLine = false
    private var nextPlain = 0
    private var shown = 0
    /// Back to the margin, and clear what a longer line left.
    private static let margin = "\r\u{1B}[K"

    init(isTerminal: Bool, write: @escaping @Sendable (String) -> Void) {
        self.isTerminal = isTerminal
        self.write = write
    }

    static func forStandardError() -> ProgressDisplay {
        ProgressDisplay(isTerminal: Self.isTerminal(STDERR_FILENO)) { StandardError.write($0) }
    }

    /// Whether escape sequences may be written there.
    static func isTerminal(_ descriptor: Int32) -> Bool {
        isatty(descriptor) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"
    }

    mutating func show(_ progress: AuditProgress) {
        if isTerminal {
            let found = progress.found.map { Self.margin + Self.text($0) + "\n" }.joined()
            write(found + note(after: progress) + Self.margin + Self.text(progress))
            hasLine = true
        } else if progress.checked >= nextPlain {
            // Few lines for small sites and for large ones: each comes when a quarter more is done.
            nextPlain = max(progress.checked + 100, progress.checked * 5 / 4)
            write(Self.text(progress) + "\n")
        }
    }

    /// Said once, when broken links come no longer one by one.
    private mutating func note(after progress: AuditProgress) -> String {
        guard shown < AuditProgress.mostShown else { return "" }
        shown += progress.found.count
        guard shown >= AuditProgress.mostShown, progress.broken > shown else { return "" }
        return Self.margin + "More broken links are counted here, and listed in the report.\n"
    }

    /// Makes room for other text.
    mutating func clear() {
        if hasLine { write(Self.margin) }
        hasLine = false
    }

    private static func text(_ row: ReportRow) -> String {
        TerminalText.line("\(row.link): \(row.note); on \(row.page), line \(row.line)")
    }

    private static func text(_ progress: AuditProgress) -> String {
        let share = progress.known == 0 ? 0 : progress.checked * 100 / progress.known
        return "pages \(progress.pages), links \(progress.links), broken \(progress.broken); "
            + "addresses \(progress.checked) of \(progress.known) (\(share) %)"
    }
}
