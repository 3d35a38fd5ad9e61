import SiteAudit
import Synchronization

/// A report as a test reads it: put together from its parts.
@dynamicMemberLookup
struct Report: Equatable {
    var head: ReportHead
    /// In their order, without doubles.
    var rows: [ReportRow]

    init(_ head: ReportHead, _ rows: [ReportRow]) {
        self.head = head
        self.rows = rows
    }

    subscript<Value>(dynamicMember path: KeyPath<ReportHead, Value>) -> Value { head[keyPath: path] }

    var broken: [ReportRow] { rows.filter { $0.kind == .broken } }
    var redirects: [ReportRow] { rows.filter { $0.kind == .redirect } }

    var counts: ReportCounts {
        var counts = ReportCounts()
        for row in rows { counts.add(row) }
        return counts
    }

    func files(seconds: Double) -> ReportFiles {
        ReportFiles(
            json: "\(head.directory)/report.json", html: "\(head.directory)/report.html", seconds: seconds,
            broken: counts.broken, redirects: counts.redirects)
    }
}

extension ReportRow {
    var reason: String { note }
    var target: String { note }

    static func broken(_ page: String, _ link: String, line: Int, _ reason: String, _ status: Int? = nil) -> ReportRow {
        ReportRow(kind: .broken, page: page, line: line, link: link, note: reason, status: status)
    }

    static func redirect(_ page: String, _ link: String, line: Int, _ target: String, _ status: Int) -> ReportRow {
        ReportRow(kind: .redirect, page: page, line: line, link: link, note: target, status: status)
    }
}

/// What a writer keeps of reports on its disk, in memory.
final class PartStore: Sendable {
    private let parts = Mutex<[String: [Int: ReportRows]]>([:])

    func keep(_ part: ReportPart) { parts.withLock { $0[part.report, default: [:]][part.number] = part.rows } }

    /// Puts a report together as writers do: sorted parts are merged; then they are gone.
    func assemble(_ assembly: ReportAssembly) -> (report: Report?, missing: [Int]) {
        parts.withLock { parts in
            let kept = parts[assembly.report] ?? [:]
            let missing = (0..<assembly.parts).filter { kept[$0] == nil }
            guard missing.isEmpty else { return (nil, missing) }
            parts[assembly.report] = nil
            var merge = RowMerge(kept.values.map { RowList(rows: $0.rows.sorted()) })
            var rows: [ReportRow] = []
            while let row = merge.next() { rows.append(row) }
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

/// Rows of an array.
struct RowList: RowSource {
    var rows: [ReportRow]
    var place = 0

    mutating func next() throws(Never) -> ReportRow? {
        guard place < rows.count else { return nil }
        defer { place += 1 }
        return rows[place]
    }
}
