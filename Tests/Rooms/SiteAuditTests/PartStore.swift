import SiteAudit
import Synchronization

/// A report as a test reads it: put together from its parts.
@dynamicMemberLookup
struct Report: Equatable {
    var head: ReportHead
    /// In the order of the parts.
    var rows: [ReportRow]

    init(_ head: ReportHead, _ rows: [ReportRow]) {
        self.head = head
        self.rows = rows
    }

    subscript<Value>(dynamicMember path: KeyPath<ReportHead, Value>) -> Value { head[keyPath: path] }
    subscript<Value>(dynamicMember path: KeyPath<Summary, Value>) -> Value { head.summary[keyPath: path] }

    var broken: [ReportRow] { rows.filter { $0.kind == .broken } }
    var redirects: [ReportRow] { rows.filter { $0.kind == .redirect } }

    var unread: [ReportRow] { rows.filter { $0.kind == .unread } }

    func files(seconds: Double) -> ReportFiles {
        ReportFiles(
            json: "\(head.directory)/report.json", html: "\(head.directory)/report.html", seconds: seconds)
    }
}

extension ReportRow {
    var reason: String { note }
    var target: String { note }

    static func broken(
        _ page: String, _ link: String, line: Int, _ reason: String, _ status: Int? = nil, group: Int? = nil
    ) -> ReportRow {
        ReportRow(kind: .broken, page: page, line: line, link: link, note: reason, status: status, group: group)
    }

    static func redirect(
        _ page: String, _ link: String, line: Int, _ target: String, _ status: Int, group: Int? = nil
    ) -> ReportRow {
        ReportRow(kind: .redirect, page: page, line: line, link: link, note: target, status: status, group: group)
    }

    static func unread(_ page: String, _ reason: String, group: Int? = nil) -> ReportRow {
        ReportRow(kind: .unread, page: page, line: 0, link: "", note: reason, status: 200, group: group)
    }
}

/// What a writer keeps of reports on its disk, in memory.
final class PartStore: Sendable {
    private let parts = Mutex<[String: [Int: ReportRows]]>([:])

    func keep(_ part: ReportPart) { parts.withLock { $0[part.report, default: [:]][part.number] = part.rows } }

    /// Puts a report together as writers do: the parts in order; then they are gone.
    func assemble(_ assembly: ReportAssembly) -> (report: Report?, missing: [Int]) {
        parts.withLock { parts in
            let kept = parts[assembly.report] ?? [:]
            let missing = (0..<assembly.parts).filter { kept[$0] == nil }
            guard missing.isEmpty else { return (nil, missing) }
            parts[assembly.report] = nil
            let rows = (0..<assembly.parts).flatMap { kept[$0]?.rows ?? [] }
            return (Report(assembly.head, rows), [])
        }
    }

    /// Loses one part in three, as a disk that was not synced.
    func lose(using generator: inout some RandomNumberGenerator) {
        parts.withLock { parts in
            for report in parts.keys.sorted() {
                for number in (parts[report] ?? [:]).keys.sorted() where Int.random(in: 0..<3, using: &generator) == 0 {
                    parts[report]?[number] = nil
                }
            }
        }
    }
}
