/// The text of `report.html`, piece by piece: one self-contained page, light and dark, on screen and on paper.
///
/// Its rows are in `noscript` elements. Without scripts they are shown directly. With scripts they are text, from which
/// the page's script makes elements on demand: 50,000 rows cost no more than the first few.
package struct ReportHTML {
    private let head: ReportHead
    private let counts: ReportCounts
    private let seconds: Double
    /// The maximum number of rows of a kind that are shown unfolded; more are folded by page.
    private static let rowsUnfolded = 100

    /// Describes a page.
    package init(_ head: ReportHead, _ counts: ReportCounts, seconds: Double) {
        self.head = head
        self.counts = counts
        self.seconds = seconds
    }

    /// What comes before the rows.
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

        """ + (counts.broken == 0 ? allWell : "")
    }

    /// What comes after the rows.
    package var closing: String {
        """
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
        counts.broken == 0 ? "No broken links" : HTMLText.count(counts.broken, "broken link", "broken links")
    }

    private var header: String {
        let notes = [
            head.cutShort.map { HTMLText.escaped($0.sentence) },
            head.unchecked > 0
                ? "\(HTMLText.count(head.unchecked, "link", "links")) to other sites not checked (<code>--external</code> does)"
                : nil,
            head.disallowed > 0
                ? "\(HTMLText.count(head.disallowed, "address", "addresses")) left alone as robots.txt asks" : nil,
        ].compactMap(\.self)
        return """
            <header>
            <p class="kind">Site Audit</p>
            <h1>\(HTMLText.link(head.start))</h1>
            <div class="tiles">
            \(Self.tile(counts.broken == 0 ? "good" : "bad", HTMLText.number(counts.broken), counts.broken == 1 ? "broken link" : "broken links"))
            \(Self.tile("", HTMLText.number(head.pages), head.pages == 1 ? "page" : "pages"))
            \(Self.tile("", HTMLText.number(head.links), "links checked"))
            \(Self.tile("", HTMLText.number(head.addresses), "addresses asked"))
            \(Self.tile(counts.redirects == 0 ? "" : "soft", HTMLText.number(counts.redirects), "redirected"))
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
        <p>\(HTMLText.count(head.links, "link", "links")) on \(HTMLText.count(head.pages, "page", "pages")), and each leads somewhere.</p>
        </section>

        """
    }
}

// MARK: - Rows

extension ReportHTML {
    /// What comes before the rows of a kind; the script relies on its lines, and on those of groups and rows.
    package func opening(of kind: ReportRow.Kind) -> String {
        let (id, title, hint) =
            switch kind {
            case .broken: ("broken", "Broken links", "")
            case .redirect:
                (
                    "redirects", "Redirected links",
                    "<p class=\"hint\">They work, with a detour. Links with status 301 or 308 should be changed to where they "
                        + "lead.</p>\n"
                )
            }
        return """
            <section id="\(id)" class="list">
            <div class="bar"><h2>\(title)</h2>
            <input type="search" class="filter" placeholder="Filter by page, link, reason or status" aria-label="Filter \(title.lowercased())" hidden>
            <span class="shown" role="status"></span></div>
            \(hint)<p class="none" hidden>No link matches this.</p>
            <noscript>

            """
    }

    /// What comes after the rows of a kind.
    package var closingOfKind: String { "</noscript>\n</section>\n" }

    /// What comes before the rows of a page, all of which are of one kind.
    package func opening(ofGroup row: ReportRow, count: Int) -> String {
        let isOpen = (row.kind == .broken ? counts.broken : counts.redirects) <= Self.rowsUnfolded
        return "<details\(isOpen ? " open" : "")><summary><span class=\"page\">\(HTMLText.link(row.page))</span> "
            + "<span class=\"badge\">\(HTMLText.number(count))</span></summary>\n<table>\n"
    }

    /// What comes after the rows of a page.
    package var closingOfGroup: String { "</table></details>\n" }

    /// A row, on one line.
    package func row(_ row: ReportRow) -> String {
        let line =
            "<tr><td class=\"line\"><span>line </span>\(row.line)</td><td class=\"link\">\(HTMLText.link(row.link))"
        let status = row.status.map { "<b>\($0)</b>" } ?? ""
        switch row.kind {
        case .broken:
            let style = row.status.map { $0 < 400 ? "status plain" : "status" } ?? "status"
            return line + "</td><td class=\"reason\">\(HTMLText.escaped(row.note))</td>"
                + "<td class=\"\(style)\">\(status)</td></tr>\n"
        case .redirect:
            return line + "<br><span class=\"to\">→ </span>\(HTMLText.link(row.note))</td>"
                + "<td class=\"status calm\">\(status)</td></tr>\n"
        }
    }
}
