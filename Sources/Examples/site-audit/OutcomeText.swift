import ArgumentParser
import Foundation
import MobiusCoordinator
import MobiusProcess
import SiteAudit

/// The text that is printed at the end, and the error with which the process exits.
struct OutcomeText {
    /// For standard output, with its last line end; `nil` when there is no report.
    let summary: String?
    /// The error to throw; `nil` for exit code 0.
    let failure: (any Error)?

    /// - Parameter links: Whether the terminal shows the report's paths as links.
    init(_ start: String, _ outcome: Outcome, links: Bool, width: Int) {
        switch outcome {
        case .finished(let found, let files):
            let paths = [files.html, files.json].map { links ? Self.link(to: $0) : $0 }
            let lines = [Self.verdict(start, found, files)] + Self.table(found, width) + found.omissions + paths
            summary = lines.map { $0 + "\n" }.joined()
            failure = found.broken == 0 ? nil : ExitCode.negativeAnswer
        case .unreachable(let sentence): (summary, failure) = (nil, FleetExit(.unavailable, sentence))
        case .workersFailed(let sentence): (summary, failure) = (nil, FleetExit(.temporaryFailure, sentence))
        case .refused(let sentence): (summary, failure) = (nil, FleetExit(.usage, sentence))
        case .reportFailed(let sentence): (summary, failure) = (nil, FleetExit(.cannotCreate, sentence))
        }
    }

    private static func verdict(_ start: String, _ found: Summary, _ files: ReportFiles) -> String {
        let verdict = found.broken == 0 ? "no broken links" : count(found.broken, "broken link")
        var line = "\(start): \(verdict) among \(count(found.links, "link")) on \(count(found.pages, "page"))"
        if found.redirects > 0 { line += ", \(found.redirects) redirected" }
        return line + String(format: ", in %.1f s", files.seconds)
    }

    private static func count(_ number: Int, _ thing: String) -> String {
        "\(number) \(thing)\(number == 1 ? "" : "s")"
    }

    /// Broken links by reason, each with an example.
    private static func table(_ found: Summary, _ width: Int) -> [String] {
        guard found.reasons.isEmpty == false else { return [] }
        var table = Table("LINKS", "REASON", .name("FOR EXAMPLE"), .name("ON PAGE"))
        for reason in found.reasons {
            table.add("\(reason.count)", reason.reason, reason.example.link, reason.example.page)
        }
        let rest = found.broken - found.reasons.reduce(0) { $0 + $1.count }
        if rest > 0 { table.add("\(rest)", "other reasons", "", "") }
        return table.lines(width: width)
    }

    /// A path that terminals open on a click (OSC 8).
    private static func link(to path: String) -> String {
        let url = URL(fileURLWithPath: path).absoluteString
        return "\u{1B}]8;;\(url)\u{1B}\\\(TerminalText.line(path))\u{1B}]8;;\u{1B}\\"
    }
}
