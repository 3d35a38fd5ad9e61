package import SiteAudit

/// The meaning of the `rel` of a `<link>` for its address.
package enum LinkRelation {
    /// The kind of a `<link>`; `nil` when its address is nothing that a visitor's browser would ever fetch.
    ///
    /// - Parameters:
    ///   - rel: the attribute as written: names in any case, separated by white space.
    ///   - type: the `type` attribute, which tells a feed from a translation among `alternate`s.
    ///   - destination: the `as` attribute of a `preload` or `prefetch`.
    package static func kind(rel: String, type: String?, as destination: String?) -> FetchedLink.Kind? {
        let names = Set(rel.lowercased().split(whereSeparator: \.isWhitespace).map(String.init))
        let relevant = names.filter { unfetched.contains($0) == false && $0.hasPrefix("schema.") == false }
        if relevant.isEmpty { return nil }
        if relevant.contains("stylesheet") { return .stylesheet }
        if relevant.isDisjoint(with: icons) == false { return .image }
        if relevant.contains("modulepreload") { return .script }
        if relevant.contains("preload") || relevant.contains("prefetch") { return preloaded(as: destination) }
        if relevant.isDisjoint(with: documents) == false { return isHTML(type) ? .document : .other }
        return .other
    }

    /// Names of hosts to warm up, of services to post to, and of vocabularies.
    private static let unfetched: Set<String> = [
        "dns-prefetch", "preconnect", "pingback", "webmention", "nofollow", "noopener",
    ]
    private static let icons: Set<String> = [
        "icon", "apple-touch-icon", "apple-touch-icon-precomposed", "apple-touch-startup-image", "mask-icon",
        "fluid-icon",
        "image_src",
    ]
    private static let documents: Set<String> = [
        "alternate", "appendix", "author", "bookmark", "canonical", "chapter", "contents", "copyright", "first",
        "glossary",
        "help", "home", "index", "last", "license", "next", "prerender", "prev", "previous", "privacy-policy", "search",
        "section", "start", "subsection", "tag", "terms-of-service", "toc", "top", "up",
    ]

    private static func preloaded(as destination: String?) -> FetchedLink.Kind {
        switch destination?.lowercased() {
        case "document", "iframe": .document
        case "image": .image
        case "script", "worker": .script
        case "style": .stylesheet
        default: .other
        }
    }

    private static func isHTML(_ type: String?) -> Bool {
        guard let type, type.trimmingASCIISpace.isEmpty == false else { return true }
        return MediaType(header: type)?.isHTML == true
    }
}
