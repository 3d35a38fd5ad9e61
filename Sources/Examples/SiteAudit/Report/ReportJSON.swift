/// The text of `report.json`, piece by piece: ``opening``, each row in order, ``closing(seconds:)``.
///
/// One object: `start`, `pages`, `links`, `cutShort` (`limit`, `value`, `pages` left out; only when a limit did),
/// `disallowed` (addresses that robots.txt forbade), `broken` (`page`, `link`, `line`, `reason`, `status`; `null`
/// without status), `redirects` (`page`, `link`, `line`, `target`, `status` of the first redirect), `unread` (`page`,
/// `reason`) and `seconds`, in this order, one row a line. Rows are sorted, so two audits of an unchanged site differ in
/// `seconds` only.
package struct ReportJSON {
    private let head: ReportHead
    /// The list that is open.
    private var kind = ReportRow.Kind.broken
    private var isEmpty = true

    /// Describes a file of which nothing is written.
    package init(_ head: ReportHead) { self.head = head }

    /// The text before the rows.
    package var opening: String {
        let summary = head.summary
        let cutShort = summary.cutShort.map {
            "\n  \"cutShort\": {\"limit\": \(JSONText.quoted($0.limit.rawValue)), \"value\": \($0.value), \"pages\": \($0.pages)},"
        }
        return """
            {
              "start": \(JSONText.quoted(head.start)),
              "pages": \(summary.pages),
              "links": \(summary.links),\(cutShort ?? "")
              "disallowed": \(summary.disallowed),
              "broken": [
            """
    }

    /// The next row, with what separates it from the last one.
    package mutating func row(_ row: ReportRow) -> String {
        let text = begin(row.kind) + (isEmpty ? "\n" : ",\n")
        isEmpty = false
        let (page, note) = (JSONText.quoted(row.page), JSONText.quoted(row.note))
        if row.kind == .unread { return text + "    {\"page\": \(page), \"reason\": \(note)}" }
        let status = row.status.map { "\($0)" } ?? "null"
        return text + "    {\"page\": \(page), \"link\": \(JSONText.quoted(row.link)), \"line\": \(row.line), "
            + "\"\(row.kind == .broken ? "reason" : "target")\": \(note), \"status\": \(status)}"
    }

    /// Returns the text after the rows.
    package mutating func closing(seconds: Double) -> String {
        begin(.unread) + "\(isEmpty ? "" : "\n  ")],\n  \"seconds\": \(JSONText.seconds(seconds))\n}\n"
    }

    /// Closes lists and opens others, up to that of a kind.
    private mutating func begin(_ wanted: ReportRow.Kind) -> String {
        var text = ""
        while kind.rawValue < wanted.rawValue, let next = ReportRow.Kind(rawValue: kind.rawValue + 1) {
            text += "\(isEmpty ? "" : "\n  ")],\n  \"\(next == .redirect ? "redirects" : "unread")\": ["
            (kind, isEmpty) = (next, true)
        }
        return text
    }
}
