import FleetTestSupport
import Foundation

/// Site Audit's processes, started one by one so that a test can kill each of them.
final class AuditFleet: Sendable {
    let folder: TestFolder
    let url: String
    private let endpoint: String
    private let options: [String]

    /// Options of an audit whose requests may wait for an hour.
    static let patient = ["--per-host", "64", "--timeout", "3600"]

    private let journal: String?

    /// - Parameter journal: Where its journal is, when that is no file of its own.
    init(auditing url: String, options: [String] = ["--per-host", "64"], journal: String? = nil) throws {
        folder = try TestFolder()
        self.journal = journal
        endpoint = "ipc://\(folder.file("s"))"
        self.url = url
        self.options = options
    }

    var report: String { folder.file("report") }

    /// What a killed writer of another audit could have left.
    var leftOver: String { report + "/.site-audit-parts-0" }

    /// The parts that a writer keeps of this audit's report.
    var parts: [String] {
        let files = FileManager.default.enumerator(atPath: report)?.compactMap { $0 as? String } ?? []
        return files.filter { $0.contains("/part-") && $0.contains(".site-audit-parts-0/") == false }
    }

    func coordinator(_ more: [String] = []) throws -> TestProcess {
        try TestProcess(
            "site-audit",
            ["--start", url, "--report", report, "--journal", journal ?? folder.file("journal"), "--bind", endpoint]
                + options + more, in: folder.path)
    }

    func fetcher(concurrency: Int = 8, timeout: Int = 5, _ more: [String] = []) throws -> TestProcess {
        try TestProcess(
            "page-fetcher",
            ["--connect", endpoint, "--concurrency", "\(concurrency)", "--timeout", "\(timeout)"] + more)
    }

    func writer() throws -> TestProcess {
        try TestProcess("report-writer", ["--connect", endpoint])
    }
}
