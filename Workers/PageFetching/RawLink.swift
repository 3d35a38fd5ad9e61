import SiteAudit

/// A link as found, before the page's base is known: `<base>` may stand after it.
struct RawLink {
    var written: String
    var offset: Int
    var kind: FetchedLink.Kind
}
