import ArgumentParser
import Foundation
import SiteAudit

/// The options that only this coordinator has: what is audited, and how.
struct AuditOptions: ParsableArguments, Sendable {
    @Option(help: ArgumentHelp("The first page; pages under its directory are crawled.", valueName: "url"))
    var start: String

    @Option(help: ArgumentHelp("Where report.html and report.json go, both at the end.", valueName: "folder"))
    var report = "site-audit-report"

    @Option(
        help: ArgumentHelp(
            "Crawl so many pages at most; output and report say when that left pages out.", valueName: "n"))
    var maxPages = AuditRequest.usualMaxPages

    // A calendar that never ends is one page or one month further with each link; a site for people is not.
    @Option(help: ArgumentHelp("Crawl pages so many links away from the start; likewise.", valueName: "n"))
    var depth = AuditRequest.usualDepth

    @Option(help: ArgumentHelp("So many requests at once.", valueName: "n"))
    var concurrency = 32

    @Option(help: ArgumentHelp("So many requests at once to one host.", valueName: "n"))
    var perHost = 8

    @Option(help: ArgumentHelp("Milliseconds between the starts of two requests to one host.", valueName: "ms"))
    var delay = 0

    @Option(help: ArgumentHelp("How long one request may take.", valueName: "seconds"))
    var timeout = 10.0

    @Flag(help: "Check links to other sites too.")
    var external = false

    @Flag(help: "Open report.html in the browser when it is written.")
    var open = false

    @Flag(help: "Show no progress.")
    var quiet = false

    func validate() throws {
        guard WebURL(start) != nil else {
            throw ValidationError(
                "--start must be an http or https URL, such as https://example.org/, not “\(WebURL.withoutSecrets(start))”."
            )
        }
        try check("--max-pages", maxPages, 1...10_000_000)
        try check("--depth", depth, 0...1_000_000)
        try check("--concurrency", concurrency, 1...10_000)
        try check("--per-host", perHost, 1...10_000)
        try check("--delay", delay, 0...3_600_000)
        guard timeout >= 0.001, timeout <= 3600 else {
            throw ValidationError("--timeout must be a number of seconds from 0.001 to 3600, not \(timeout).")
        }
        guard report.isEmpty == false else {
            throw ValidationError("--report must name a folder, such as --report site-audit-report.")
        }
    }

    private func check(_ option: String, _ value: Int, _ range: ClosedRange<Int>) throws {
        guard range.contains(value) else {
            throw ValidationError(
                "\(option) must be a number from \(range.lowerBound) to \(range.upperBound), not \(value).")
        }
    }

    /// The request that these options make.
    func request(id: String, time: Double, payloadLimit: Int?) -> AuditRequest {
        AuditRequest(
            id: id, time: time, start: WebURL(start)?.text ?? start,
            // Workers have working directories of their own.
            reportDirectory: URL(fileURLWithPath: report, isDirectory: true).standardizedFileURL.path,
            maxPages: maxPages, depth: depth, checksExternal: external, concurrency: concurrency, perHost: perHost,
            delay: delay, timeLimit: Int((timeout * 1000).rounded()), payloadLimit: payloadLimit)
    }
}
