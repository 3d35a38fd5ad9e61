/// An absolute `http` or `https` URL in its one normal form, without fragment.
///
/// Normal form (RFC 3986, 6.2): scheme and host in lower case, no default port, no dot segments, at least the path `/`,
/// percent-encoding only where needed and in upper case, international host names in their ASCII form (RFC 3492), IPv6
/// addresses as RFC 5952 writes them. Equivalent addresses have the same `text`. Like browsers, it tolerates
/// surrounding white space, tabs and line ends within, backslashes as slashes, and unencoded characters.
public struct WebURL: Sendable, Hashable {
    /// `http` or `https`.
    public let scheme: String
    /// User, host and port in the URL.
    public let authority: String
    /// Begins with a slash; no dot segments; encoded.
    public let path: String
    /// What follows the question mark, encoded; `nil` without question mark.
    public let query: String?

    init(scheme: String, authority: String, path: String, query: String?) {
        self.scheme = scheme
        self.authority = authority
        self.path = path
        self.query = query
    }

    /// Parses an absolute URL; `nil` when it is invalid, or neither `http` nor `https`.
    ///
    /// A fragment is dropped.
    public init?(_ text: String) {
        guard case .absolute(let url, _) = Reference(text).parsed else { return nil }
        self = url
    }

    /// The URL as one text.
    public var text: String {
        let front = "\(scheme)://\(authority)\(path)"
        return query.map { "\(front)?\($0)" } ?? front
    }

    /// Scheme, host and port: `https://example.org:8443`.
    ///
    /// The scope of politeness and `robots.txt`.
    public var origin: String {
        let host = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        return "\(scheme)://\(host)"
    }

    /// The path up to and with its last slash.
    public var directory: String {
        guard let slash = path.lastIndex(of: "/") else { return "/" }
        return String(path[...slash])
    }

    /// Path and query, for the rules of `robots.txt`.
    public var pathAndQuery: String { query.map { "\(path)?\($0)" } ?? path }

    /// Resolves `reference` in a document at this URL (RFC 3986, 5.2): absolute, relative, `//host/x`, `?query`,
    /// `#fragment` or empty.
    ///
    /// A document's `<base href>` is itself resolved against the document's URL; links then against the result.
    public func resolve(_ reference: String) -> LinkTarget {
        switch Reference(reference).parsed {
        case .absolute(let url, let fragment): .web(url: url.text, fragment: fragment)
        case .otherScheme(let scheme): .skipped(scheme: scheme)
        case .invalid: .invalid
        case .schemeRelative(let authority, let path, let query, let fragment):
            Self.target(WebURL(scheme: scheme, authority: authority, path: path, query: query), scheme, fragment)
        case .sameScheme(let scheme, _, _, _) where scheme != nil && scheme != self.scheme: .invalid
        case .sameScheme(_, let path, let query, let fragment):
            .web(url: moved(to: path, query: query).text, fragment: fragment)
        }
    }

    private static func target(_ url: WebURL, _ scheme: String, _ fragment: String?) -> LinkTarget {
        guard let authority = WebHost.normalized(Array(url.authority.utf8), scheme: scheme) else { return .invalid }
        let settled = WebURL(scheme: scheme, authority: authority, path: url.path, query: url.query)
        return .web(url: settled.text, fragment: fragment)
    }

    /// RFC 3986, 5.2.2 for references without authority; `written` is percent-normalised, with its dot segments.
    private func moved(to written: [UInt8], query newQuery: String?) -> WebURL {
        if written.isEmpty {
            return WebURL(scheme: scheme, authority: authority, path: path, query: newQuery ?? query)
        }
        let merged = written.first == UInt8(ascii: "/") ? written : Array(directory.utf8) + written
        return WebURL(scheme: scheme, authority: authority, path: DotSegments.removed(from: merged), query: newQuery)
    }
}

extension WebURL: CustomStringConvertible {
    /// The URL as one text.
    public var description: String { text }
}
