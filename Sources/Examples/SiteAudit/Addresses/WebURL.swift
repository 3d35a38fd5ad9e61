/// An absolute `http` or `https` URL without fragment, as browsers serialise it (https://url.spec.whatwg.org).
///
/// An address is requested as it is linked: escapes stay as written, and only what the standard's percent-encode sets
/// contain is encoded. Scheme and host are in lower case, international host names in their ASCII form (UTS 46), IPv4
/// and IPv6 addresses in one spelling; there is no default port, no dot segment, and at least the path `/`.
public struct WebURL: Sendable, Hashable {
    /// The URL as one text.
    public let text: String
    /// The beginning of the authority, in the UTF-8 of `text`.
    let authorityStart: Int
    /// The beginning of the path.
    let pathStart: Int
    /// The end of the path: at the question mark of the query, or at the end.
    let pathEnd: Int

    init(text: String, authorityStart: Int, pathStart: Int, pathEnd: Int) {
        self.text = text
        self.authorityStart = authorityStart
        self.pathStart = pathStart
        self.pathEnd = pathEnd
    }

    /// Parses an absolute URL; `nil` when it is invalid, or neither `http` nor `https`.
    ///
    /// A fragment is dropped.
    public init?(_ text: String) {
        guard case .web(let url, _) = URLParser.parse(text, base: nil, encode: nil) else { return nil }
        self = url
    }

    /// Whether the scheme is `https`.
    var isSecure: Bool { authorityStart == 8 }

    /// User, host and port.
    var authority: Substring { slice(authorityStart, pathStart) }

    /// Begins with a slash; no dot segments; encoded.
    public var path: String { String(slice(pathStart, pathEnd)) }

    /// Scheme, host and port: `https://example.org:8443`.
    ///
    /// The scope of politeness and `robots.txt`.
    public var origin: String {
        let host = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        return "\(slice(0, authorityStart))\(host)"
    }

    /// The path up to and with its last slash.
    public var directory: String {
        let path = slice(pathStart, pathEnd)
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "/" }
        return String(path[...slash])
    }

    /// Path and query, as they are requested.
    public var pathAndQuery: String { String(slice(pathStart, text.utf8.count)) }

    /// Path and query in the normal form of RFC 3986, 6.2.2: equal for equivalent spellings, such as `%7e` and `~`.
    ///
    /// A key for comparing, not an address: servers may tell the spellings apart.
    package var normalForm: String { Self.normalized(path: pathAndQuery) }

    /// The normal form of an encoded path, or of path and query.
    package static func normalized(path: String) -> String {
        if path.utf8.contains(where: PercentCoding.normal.contains) == false { return path }
        return String(decoding: PercentCoding.normalize(path.utf8), as: UTF8.self)
    }

    /// Resolves `reference` in a document at this URL as browsers do: absolute, relative, `//host/x`, `?query`,
    /// `#fragment` or empty.
    ///
    /// A document's `<base href>` is itself resolved against the document's URL; links then against the result.
    /// - Parameter encode: The bytes of a query in the document's encoding, when that is not UTF-8; called only for
    ///   queries that are not ASCII. A character that the encoding lacks is to come as `%26%23`, its decimal number and
    ///   `%3B`.
    public func resolve(_ reference: String, query encode: ((String) -> [UInt8])? = nil) -> LinkTarget {
        switch URLParser.parse(reference, base: self, encode: encode) {
        case .web(let url, let fragment): .web(url: url.text, fragment: fragment)
        case .skipped(let scheme): .skipped(scheme: scheme)
        case .invalid: .invalid
        }
    }

    private func slice(_ start: Int, _ end: Int) -> Substring {
        let bytes = text.utf8
        return text[bytes.index(bytes.startIndex, offsetBy: start)..<bytes.index(bytes.startIndex, offsetBy: end)]
    }
}

extension WebURL: CustomStringConvertible {
    /// The URL as one text.
    public var description: String { text }
}
