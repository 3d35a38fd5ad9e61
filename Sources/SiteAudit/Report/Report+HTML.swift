extension Report {
    /// The text of `report.html`: one self-contained page, light and dark, on screen and on paper.
    public func html(seconds: Double) -> String {
        var page = """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <title>\(title) – \(HTMLText.escaped(start))</title>
            <style>
            \(ReportStyle.css)
            </style>
            </head>
            <body>
            \(header(seconds))
            <main>

            """
        page += broken.isEmpty ? allWell : brokenSection
        if redirects.isEmpty == false { page += redirectSection }
        page += """
            </main>
            <footer>Made by Site Audit. The same findings for programs: <a href="report.json">report.json</a></footer>
            <script>
            \(ReportStyle.script)
            </script>
            </body>
            </html>

            """
        return page
    }

    private var title: String {
        broken.isEmpty ? "No broken links" : HTMLText.count(broken.count, "broken link", "broken links")
    }

    private func header(_ seconds: Double) -> String {
        let isClean = broken.isEmpty
        let notes = [
            unchecked > 0
                ? "\(HTMLText.count(unchecked, "link", "links")) to other sites not checked (<code>--external</code> does)"
                : nil,
            disallowed > 0
                ? "\(HTMLText.count(disallowed, "address", "addresses")) left alone as robots.txt asks" : nil,
        ].compactMap(\.self)
        return """
            <header>
            <p class="kind">Site Audit</p>
            <h1>\(HTMLText.link(start))</h1>
            <div class="tiles">
            \(Self.tile(isClean ? "good" : "bad", HTMLText.number(broken.count), broken.count == 1 ? "broken link" : "broken links"))
            \(Self.tile("", HTMLText.number(pages), pages == 1 ? "page" : "pages"))
            \(Self.tile("", HTMLText.number(links), "links checked"))
            \(Self.tile("", HTMLText.number(addresses), "addresses asked"))
            \(Self.tile(redirects.isEmpty ? "" : "soft", HTMLText.number(redirects.count), "redirected"))
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
}

// MARK: - Sections

extension Report {
    private var allWell: String {
        """
        <section class="well">
        <p class="tick" aria-hidden="true">✓</p>
        <h2>No broken links</h2>
        <p>\(HTMLText.count(links, "link", "links")) on \(HTMLText.count(pages, "page", "pages")), and each leads somewhere.</p>
        </section>

        """
    }

    private var brokenSection: String {
        let groups = Self.grouped(broken, by: \.page)
        var section = """
            <section id="broken">
            <div class="bar"><h2>Broken links</h2>
            <input type="search" id="filter" placeholder="Filter by page, link, reason or status" aria-label="Filter broken links">
            <span id="shown" role="status"></span></div>
            <p id="none" hidden>No broken link matches this.</p>

            """
        for group in groups {
            section += "<details open><summary><span class=\"page\">\(HTMLText.link(group[0].page))</span> "
            section += "<span class=\"badge\">\(HTMLText.number(group.count))</span></summary>\n<table>\n"
            for row in group {
                section += "<tr><td class=\"line\"><span>line </span>\(row.line)</td>"
                section += "<td class=\"link\">\(HTMLText.link(row.link))</td>"
                section += "<td class=\"reason\">\(HTMLText.escaped(row.reason))</td>"
                let style = row.status.map { $0 < 400 ? "status plain" : "status" } ?? "status"
                section += "<td class=\"\(style)\">\(row.status.map { "<b>\($0)</b>" } ?? "")</td></tr>\n"
            }
            section += "</table></details>\n"
        }
        return section + "</section>\n"
    }

    private var redirectSection: String {
        let groups = Self.grouped(redirects, by: \.page)
        var section = """
            <section id="redirects">
            <details\(redirects.count <= 20 ? " open" : "") class="all"><summary><h2>Redirected links</h2> \
            <span class="badge calm">\(HTMLText.number(redirects.count))</span></summary>
            <p class="hint">They work, with a detour. Links with status 301 or 308 should be changed to where they lead.</p>

            """
        for group in groups {
            section += "<h3>\(HTMLText.link(group[0].page))</h3>\n<table>\n"
            for row in group {
                section += "<tr><td class=\"line\"><span>line </span>\(row.line)</td>"
                section += "<td class=\"link\">\(HTMLText.link(row.link))<br><span class=\"to\">→ </span>"
                section += "\(HTMLText.link(row.target))</td>"
                section += "<td class=\"status calm\"><b>\(row.status)</b></td></tr>\n"
            }
            section += "</table>\n"
        }
        return section + "</details></section>\n"
    }

    /// Neighbours with an equal key in one group each: the rows are sorted by it.
    private static func grouped<Row>(_ rows: [Row], by key: KeyPath<Row, String>) -> [[Row]] {
        var groups: [[Row]] = []
        for row in rows {
            if let last = groups.last?.first, last[keyPath: key] == row[keyPath: key] {
                groups[groups.count - 1].append(row)
            } else {
                groups.append([row])
            }
        }
        return groups
    }
}
