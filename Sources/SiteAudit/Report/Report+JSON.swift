extension Report {
    /// The text of `report.json`.
    ///
    /// One object: `start`, `pages`, `links`, `broken` (`page`, `link`, `line`, `reason`, `status`; `null` without status),
    /// `redirects` (`page`, `link`, `line`, `target`, `status` of the first redirect) and `seconds`, in this order, one
    /// row a line. Rows are sorted, so two audits of an unchanged site differ in `seconds` only.
    public func json(seconds: Double) -> String {
        let broken = broken.map { row in
            Self.object([
                ("page", JSONText.quoted(row.page)), ("link", JSONText.quoted(row.link)), ("line", "\(row.line)"),
                ("reason", JSONText.quoted(row.reason)), ("status", row.status.map { "\($0)" } ?? "null"),
            ])
        }
        let redirects = redirects.map { row in
            Self.object([
                ("page", JSONText.quoted(row.page)), ("link", JSONText.quoted(row.link)), ("line", "\(row.line)"),
                ("target", JSONText.quoted(row.target)), ("status", "\(row.status)"),
            ])
        }
        return """
            {
              "start": \(JSONText.quoted(start)),
              "pages": \(pages),
              "links": \(links),
              "broken": \(Self.list(broken)),
              "redirects": \(Self.list(redirects)),
              "seconds": \(JSONText.seconds(seconds))
            }

            """
    }

    private static func object(_ members: [(key: String, value: String)]) -> String {
        "{" + members.map { "\"\($0.key)\": \($0.value)" }.joined(separator: ", ") + "}"
    }

    private static func list(_ rows: [String]) -> String {
        if rows.isEmpty { return "[]" }
        return "[\n" + rows.map { "    \($0)" }.joined(separator: ",\n") + "\n  ]"
    }
}
