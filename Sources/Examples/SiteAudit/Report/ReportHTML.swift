/// The text of `report.html`, piece by piece: ``opening``, each row in order, ``closing``.
///
/// It is one self-contained page, light and dark, on screen and on paper.
///
/// Its rows are in `noscript` elements. Without scripts they are shown directly. With scripts they are text, from which
/// the page's script makes elements on demand: 50,000 rows cost no more than the first few.
package struct ReportHTML {
    private let head: ReportHead
    private let seconds: Double
    /// The kind of the rows so far.
    private var kind: ReportRow.Kind?
    private var summary: Summary { head.summary }
    /// The maximum number of rows of a kind that are shown unfolded; more are folded by page.
    private static let rowsUnfolded = 100

    /// Describes a page.
    package init(_ head: ReportHead, seconds: Double) {
        self.head = head
        self.seconds = seconds
    }

    /// The text before the rows.
    package var opening: String {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>\(title) – \(HTMLText.escaped(head.start))</title>
        <style>
        \(ReportStyle.css)
        </style>
        </head>
        <body>
        \(header)
        <main>

        """ + (summary.broken == 0 ? allWell : "")
    }

    /// The text after the rows.
    package var closing: String {
        let omissions = kind == .unread || summary.omissions.isEmpty ? "" : "<section>\(notRead)</section>\n"
        return closingOfKind + omissions + """
            </main>
            <footer>Made by Site Audit. The same findings for programs: <a href="report.json">report.json</a></footer>
            <script>
            \(ReportStyle.script)
            </script>
            </body>
            </html>

            """
    }

    private var title: String {
        summary.broken == 0 ? "No broken links" : HTMLText.count(summary.broken, "broken link", "broken links")
    }

    private var header: String {
        var notes = summary.omissions.map(HTMLText.escaped)
        if summary.unchecked > 0 {
            let links = HTMLText.count(summary.unchecked, "link", "links")
            notes.append("\(links) to other sites not checked (<code>--external</code> does)")
        }
        return """
            <header>
            <p class="kind">Site Audit</p>
            <h1>\(HTMLText.link(head.start))</h1>
            <div class="tiles">
            \(Self.tile(summary.broken == 0 ? "good" : "bad", HTMLText.number(summary.broken), summary.broken == 1 ? "broken link" : "broken links"))
            \(Self.tile("", HTMLText.number(summary.pages), summary.pages == 1 ? "page" : "pages"))
            \(Self.tile("", HTMLText.number(summary.links), "links checked"))
            \(Self.tile("", HTMLText.number(summary.addresses), "addresses asked"))
            \(Self.tile(summary.redirects == 0 ? "" : "soft", HTMLText.number(summary.redirects), "redirected"))
            \(Self.tile("", Self.duration(seconds), "taken"))
            </div>
            \(notes.isEmpty ? "" : "<p class=\"notes\">\(notes.joined(separator: " · "))</p>")
            </header>
            """
    }

    private static func tile(_ style: String, _ value: String, _ label: String) -> String {
        "<div class=\"tile \(style)\"><b>\(value)</b><span>\(label)</span></div>"
    }

    private static func duration(_ seconds: Double) -> String {
        let seconds = seconds.isFinite ? max(0, seconds) : 0
        if seconds < 60 {
            let tenths = Int((seconds * 10).rounded())
            return "\(tenths / 10).\(tenths % 10) s"
        }
        let whole = Int(min(seconds, 1e9))
        if whole < 3600 { return "\(whole / 60) min \(whole % 60) s" }
        return "\(whole / 3600) h \(whole % 3600 / 60) min"
    }

    private var allWell: String {
        """
        <section class="well">
        <p class="tick" aria-hidden="true">✓</p>
        <h2>No broken links</h2>
        <p>\(HTMLText.count(summary.links, "link", "links")) on \(HTMLText.count(summary.pages, "page", "pages")), and each leads somewhere.</p>
        </section>

        """
    }
}

// MARK: - Rows

extension ReportHTML {
    /// The next row, on one line, with what separates it from the last one; the script relies on these lines.
    package mutating func row(_ row: ReportRow) -> String {
        var text = ""
        if row.kind != kind {
            text += closingOfKind + opening(of: row.kind)
            kind = row.kind
        } else if row.group != nil {
            text += Self.closingOfGroup
        }
        if let count = row.group { text += opening(ofGroup: row, count: count) }
        let status = row.status.map { "<b>\($0)</b>" } ?? ""
        let place = row.line > 0 ? "<span>line </span>\(row.line)" : ""
        text += "<tr><td class=\"line\">\(place)</td><td class=\"link\">"
        switch row.kind {
        case .broken, .unread:
            let style = row.status.map { $0 < 400 ? "status plain" : "status" } ?? "status"
            text += "\(HTMLText.link(row.kind == .unread ? row.page : row.link))</td>"
            text +=
                "<td class=\"reason\">\(HTMLText.escaped(row.note))</td><td class=\"\(style)\">\(status)</td></tr>\n"
        case .redirect:
            text += "\(HTMLText.link(row.link))<br><span class=\"to\">→ </span>\(HTMLText.link(row.note))</td>"
            text += "<td class=\"status calm\">\(status)</td></tr>\n"
        }
        return text
    }

    private func opening(of kind: ReportRow.Kind) -> String {
        let (id, title, hint) =
            switch kind {
            case .broken: ("broken", "Broken links", "")
            case .redirect:
                (
                    "redirects", "Redirected links",
                    "<p class=\"hint\">They work, with a detour. Links with status 301 or 308 should be changed to where they "
                        + "lead.</p>\n"
                )
            case .unread: ("unread", Self.notReadTitle, "")
            }
        return """
            <section id="\(id)" class="list">
            <div class="bar"><h2>\(title)</h2>
            <input type="search" class="filter" placeholder="Filter by page, link, reason or status" aria-label="Filter \(title.lowercased())" hidden>
            <span class="shown" role="status"></span></div>
            \(kind == .unread ? notReadHint : hint)<p class="none" hidden>Nothing matches this.</p>
            <noscript>

            """
    }

    private static let notReadTitle = "Not read, and why"

    private var notRead: String { "<h2>\(Self.notReadTitle)</h2>\n\(notReadHint)" }

    private var notReadHint: String {
        "<p class=\"hint\">" + summary.omissions.map(HTMLText.escaped).joined(separator: "<br>") + "</p>\n"
    }

    private func opening(ofGroup row: ReportRow, count: Int) -> String {
        let (total, title) =
            switch row.kind {
            case .broken: (summary.broken, HTMLText.link(row.page))
            case .redirect: (summary.redirects, HTMLText.link(row.page))
            case .unread: (count, "Pages whose links and anchors are unknown")
            }
        return "<details\(total <= Self.rowsUnfolded ? " open" : "")><summary><span class=\"page\">\(title)</span> "
            + "<span class=\"badge\">\(HTMLText.number(count))</span></summary>\n<table>\n"
    }

    private static let closingOfGroup = "</table></details>\n"

    private var closingOfKind: String { kind == nil ? "" : Self.closingOfGroup + "</noscript>\n</section>\n" }
}
