/// The text of `report.json`, piece by piece: ``opening``, each row in order, ``closing(seconds:)``.
///
/// One object: `start`, `pages`, `links`, `cutShort` (`limit`, `value`, `pages` left out; only when a limit did), `broken` (`page`, `link`, `line`, `reason`, `status`; `null` without status),
/// `redirects` (`page`, `link`, `line`, `target`, `status` of the first redirect) and `seconds`, in this order, one row a
/// line. Rows are sorted, so two audits of an unchanged site differ in `seconds` only.
package struct ReportJSON {
    private let head: ReportHead
    /// The rows so far, by kind.
    private var counts = ReportCounts()

    /// Describes a file of which nothing is written.
    package init(_ head: ReportHead) { self.head = head }

    /// What comes before the rows.
    package var opening: String {
        """
        {
          "start": \(JSONText.quoted(head.start)),
          "pages": \(head.pages),
          "links": \(head.links),\(cutShort)
          "broken": [
        """
    }

    private var cutShort: String {
        guard let cut = head.cutShort else { return "" }
        return "\n  \"cutShort\": {\"limit\": \(JSONText.quoted(cut.limit.rawValue)), \"value\": \(cut.value), "
            + "\"pages\": \(cut.pages)},"
    }

    /// The next row, with what separates it from the last one.
    package mutating func row(_ row: ReportRow) -> String {
        var text = ""
        if row.kind == .redirect, counts.redirects == 0 { text += redirectsOpening }
        let isFirst = row.kind == .broken ? counts.broken == 0 : counts.redirects == 0
        counts.add(row)
        let status = row.status.map { "\($0)" } ?? "null"
        let note = row.kind == .broken ? "reason" : "target"
        return text + (isFirst ? "\n" : ",\n")
            + "    {\"page\": \(JSONText.quoted(row.page)), \"link\": \(JSONText.quoted(row.link)), "
            + "\"line\": \(row.line), \"\(note)\": \(JSONText.quoted(row.note)), \"status\": \(status)}"
    }

    private var redirectsOpening: String { (counts.broken == 0 ? "]" : "\n  ]") + ",\n  \"redirects\": [" }

    /// What comes after the rows.
    package func closing(seconds: Double) -> String {
        let rest = counts.redirects == 0 ? redirectsOpening + "]" : "\n  ]"
        return rest + ",\n  \"seconds\": \(JSONText.seconds(seconds))\n}\n"
    }
}
