import SiteAudit

/// Makes absolute addresses of what a page or a server wrote, by Site Audit's own rules.
package enum Addresses {
    /// The longest address in bytes, four times what servers take.
    ///
    /// Anything longer is no valid URL.
    static let longest = 32 << 10
    /// The largest part of an invalid one that is reported.
    private static let longestWritten = 1_000

    /// The links of a page, absolute; those that HTTP cannot fetch (`mailto:`, `data:` …) are left out.
    ///
    /// - Parameter queries: Writes queries in the page's encoding; `nil` for UTF-8.
    static func links(
        _ found: [RawLink], base: String?, page: String, queries: QueryEncoder?, lines: inout LineCounter
    ) -> [FetchedLink] {
        guard let page = WebURL(page) else { return [] }
        let base = base.flatMap { web($0, on: page) } ?? page
        // A page names the same address again and again, and an address costs more to resolve than to look up.
        var known: [String: LinkTarget] = [:]
        var links: [FetchedLink] = []
        links.reserveCapacity(found.count)
        for link in found {
            let target = known[link.written] ?? base.resolve(link.written, query: queries?.encoded)
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

    /// Returns the target of the `Location` of an answer from `url`, with its fragment; `nil` if it cannot be fetched.
    ///
    /// Bytes that are not ASCII go out as they came in, escaped: they need not be UTF-8.
    package static func redirect(_ location: UnsafeRawBufferPointer, from url: String) -> String? {
        var bytes: [UInt8] = []
        for byte in location {
            if byte < 0x80 { bytes.append(byte) } else { bytes += "%\(String(byte, radix: 16, uppercase: true))".utf8 }
        }
        let written = String(decoding: bytes, as: UTF8.self)
        guard case .web(let target, _)? = WebURL(url)?.resolve(written) else { return nil }
        guard let hash = written.utf8.firstIndex(of: UInt8(ascii: "#")) else { return target }
        return target + String(written[hash...]).trimmingASCIISpace
    }

    private static func web(_ written: String, on base: WebURL) -> WebURL? {
        guard case .web(let url, _) = base.resolve(written) else { return nil }
        return WebURL(url)
    }
}
