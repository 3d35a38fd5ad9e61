import SiteAudit

/// Makes absolute addresses of what a page or a server wrote, by Site Audit's own rules.
enum Addresses {
    /// The longest address in bytes, four times what servers take.
    ///
    /// Anything longer is no valid URL.
    static let longest = 32 << 10
    /// How much of an invalid one is told.
    private static let longestWritten = 1_000

    /// The links of a page, absolute; those that HTTP cannot fetch (`mailto:`, `data:` …) are left out.
    static func links(
        _ found: [RawLink], base: String?, page: String, lines: inout LineCounter
    ) -> [FetchedLink] {
        guard let page = WebURL(page) else { return [] }
        let base = base.flatMap { web($0, on: page) } ?? page
        // A page names the same address again and again, and an address costs more to resolve than to look up.
        var known: [String: LinkTarget] = [:]
        var links: [FetchedLink] = []
        links.reserveCapacity(found.count)
        for link in found {
            let target = known[link.written] ?? base.resolve(link.written)
            known[link.written] = target
            let line = lines.line(at: link.offset)
            switch target {
            case .web(let url, let fragment) where url.utf8.count + (fragment?.utf8.count ?? 0) <= longest:
                let found = FetchedLink(
                    written: link.written, url: url, fragment: fragment, line: line, kind: link.kind)
                links.append(found)
            case .web, .invalid:
                let written = String(decoding: link.written.utf8.prefix(longestWritten), as: UTF8.self)
                links.append(FetchedLink(written: written, url: nil, fragment: nil, line: line, kind: link.kind))
            case .skipped:
                continue
            }
        }
        return links
    }

    /// Where the `Location` of an answer from `url` leads, with its fragment; `nil` when nothing there can be fetched.
    static func redirect(_ location: String, from url: String) -> String? {
        guard let target = WebURL(url).flatMap({ web(location, on: $0) }) else { return nil }
        guard let hash = location.firstIndex(of: "#") else { return target.text }
        return target.text + String(location[hash...]).trimmingASCIISpace
    }

    private static func web(_ written: String, on base: WebURL) -> WebURL? {
        guard case .web(let url, _) = base.resolve(written) else { return nil }
        return WebURL(url)
    }
}
