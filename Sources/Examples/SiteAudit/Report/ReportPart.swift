/// Some rows of a report, few enough for one effect.
///
/// A part is identical whenever it is sent: a writer may store it again under its name.
public struct ReportPart: Codable, Sendable, Equatable {
    /// The report's id: that of its request.
    public var report: String
    /// The absolute path of the folder that the report goes to.
    public var directory: String
    /// From 0, without gaps.
    public var number: Int
    /// Its rows: the parts in order contain the report in order.
    public var rows: ReportRows

    /// Describes a part.
    public init(report: String, directory: String, number: Int, rows: ReportRows) {
        self.report = report
        self.directory = directory
        self.number = number
        self.rows = rows
    }

    /// The name of the folder, within the report's folder, for its parts until it is assembled.
    package static func folderName(of report: String) -> String {
        folderPrefix + String(Fragment.hash(report), radix: 16)
    }

    /// The prefix of the names of such folders.
    package static let folderPrefix = ".site-audit-parts-"
}

/// All parts of a report were sent: it can be assembled.
public struct ReportAssembly: Codable, Sendable, Equatable {
    /// The report's name.
    public var report: String
    /// The number of its parts.
    public var parts: Int
    /// Its data on the whole audit.
    public var head: ReportHead

    /// Describes a report to assemble.
    public init(report: String, parts: Int, head: ReportHead) {
        self.report = report
        self.parts = parts
        self.head = head
    }
}

/// A report's data on the whole audit: everything except its rows and its duration.
public struct ReportHead: Codable, Sendable, Equatable {
    /// The URL that was asked for.
    public var start: String
    /// The absolute path of the folder to write to.
    public var directory: String
    /// The time at which the audit was first asked for, in seconds since 1970.
    public var started: Double
    /// The findings, without examples.
    public var summary: Summary

    /// Describes an audit.
    public init(start: String, directory: String, started: Double, summary: Summary) {
        self.start = start
        self.directory = directory
        self.started = started
        self.summary = summary
    }
}

/// The progress of a report's transmission to its writer.
struct ReportCursor: Codable, Sendable, Equatable {
    /// Names the report among all.
    var report: String
    /// The findings of the audit.
    var summary: Summary
    /// Pages that were not read, in order.
    var unread: [Int32]
    /// The first row of each part so far, in the sequence of broken links, redirecting ones, and unread pages.
    var starts: [Int] = []
    /// The first row that is in no part yet.
    var next = 0
    /// The parts in transit.
    var open: [Int] = []
    /// Parts that were lost, the first of them last.
    var again: [Int] = []
    /// The number of attempts to assemble it.
    var assemblies = 0
}
