import ArgumentParser
import Foundation
import MobiusCoordinator
import SiteAudit

/// What is printed at the end, and how the process exits.
struct OutcomeText {
    /// For standard output; `nil` when there is no report.
    let summary: String?
    /// What to throw; `nil` for exit code 0.
    let failure: (any Error)?

    init(_ start: String, _ outcome: Outcome) {
        switch outcome {
        case .finished(let found):
            summary = Self.summary(start, found)
            failure = found.broken == 0 ? nil : ExitCode.negativeAnswer
        case .unreachable(let sentence): (summary, failure) = (nil, FleetExit(.unavailable, sentence))
        case .workersFailed(let sentence): (summary, failure) = (nil, FleetExit(.temporaryFailure, sentence))
        case .refused(let sentence): (summary, failure) = (nil, FleetExit(.usage, sentence))
        case .reportFailed(let sentence): (summary, failure) = (nil, FleetExit(.cannotCreate, sentence))
        }
    }

    private static func summary(_ start: String, _ found: Summary) -> String {
        let verdict = found.broken == 0 ? "no broken links" : count(found.broken, "broken link")
        var line = "\(start): \(verdict) among \(count(found.links, "link")) on \(count(found.pages, "page"))"
        if found.redirects > 0 { line += ", \(found.redirects) redirected" }
        line += String(format: ", in %.1f s", found.files.seconds)
        if let cutShort = found.cutShort { line += "\n\(cutShort.sentence)" }
        return "\(line)\n\(found.files.html)\n\(found.files.json)"
    }

    private static func count(_ number: Int, _ thing: String) -> String {
        "\(number) \(thing)\(number == 1 ? "" : "s")"
    }
}
