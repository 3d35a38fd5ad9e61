package import SiteAudit

/// Finds the links and anchors of an HTML page.
package enum PageExtractor {
    /// Returns the links of the page in `body`, and its link targets.
    ///
    /// Never fails and never crashes: the worst input has no links.
    /// - Parameters:
    ///   - body: the bytes of the answer, decompressed.
    ///   - charset: the `charset` of the answer's `Content-Type`, when it had one.
    ///   - url: the absolute address that the page came from: what its links are relative to unless it has a `<base>`.
    package static func page(_ body: UnsafeRawBufferPointer, charset: String?, url: String) -> FetchedPage {
        PageText.read(body, charset: charset) { text, encoding in
            let found = LinkCollector(text)
            var lines = LineCounter(text)
            let links = Addresses.links(
                found.links, base: found.base, page: url, queries: QueryEncoder(encoding), lines: &lines)
            return FetchedPage(links: links, anchors: found.anchors)
        }
    }
}
