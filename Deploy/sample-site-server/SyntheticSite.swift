import MobiusProcess

/// A generated site: each page is computed from its number, so any two runs serve the same bytes.
///
/// Page 0 is `/`, page *n* is `/p/n.html`. Page n links to pages 2n+1 and 2n+2, so all pages can be reached in a few
/// steps. The other links lead to pages all over the site, every fourth of them to an existing fragment. On every
/// fiftieth page (7, 57, 107 …) the last link is broken: `/missing/n.html`. On request each page has more broken links
/// at its end: they lead to missing anchors, so they cause no further requests.
struct SyntheticSite: Site {
    /// The number of pages.
    let pages: Int
    /// The number of links of a page.
    let links: Int
    /// The minimum number of broken links of a page.
    let broken: Int

    func response(to request: Request) async -> Response {
        guard let number = number(of: request.path) else { return .page(404, "Not found") }
        return .init(200, type: "text/html; charset=utf-8", Array(html(number).utf8))
    }

    private func number(of path: String) -> Int? {
        if path == "/" { return 0 }
        guard path.hasPrefix("/p/"), path.hasSuffix(".html"), let number = Int(path.dropFirst(3).dropLast(5)),
            (1..<pages).contains(number)
        else { return nil }
        return number
    }

    private func html(_ number: Int) -> String {
        var html = """
            <!DOCTYPE html>
            <html lang="en">
            <head><meta charset="utf-8"><title>Page \(number)</title></head>
            <body>
            <h1 id="top">Page \(number)</h1>

            """
        for index in 0..<links {
            html += """
                <p id="s\(index)">Paragraph \(index) tells a little of what a page of documentation would tell, at some length,
                and mentions <a href="\(target(number, index))">another page</a> in passing.</p>

                """
        }
        return html + "</body>\n</html>\n"
    }

    private func target(_ number: Int, _ index: Int) -> String {
        if index == links - 1, number % 50 == 7 { return "/missing/\(number).html" }
        if index >= links - broken {
            return "/#\(String(repeating: "a-chapter-that-has-moved-", count: 6))\(number)-\(index)"
        }
        let child = 2 * number + 1 + index
        if index < 2, child < pages { return Self.path(child) }
        // Any fixed mixing function works; these are the multiplier and shift of splitmix64.
        let mixed = (UInt64(number) &* 0x9E37_79B9_7F4A_7C15 &+ UInt64(index)) &* 0xBF58_476D_1CE4_E5B9
        let page = Int((mixed ^ mixed >> 31) % UInt64(pages))
        return Self.path(page) + (index % 4 == 3 ? "#s\(index)" : "")
    }

    private static func path(_ number: Int) -> String { number == 0 ? "/" : "/p/\(number).html" }
}
