/// User and password in a URL: they are sent as a header, and masked in output for people. Journals contain them.
extension WebURL {
    /// `user:password`, decoded; `nil` when the URL has neither.
    public var credentials: String? {
        guard let at = authority.utf8.lastIndex(of: UInt8(ascii: "@")) else { return nil }
        let info = authority.utf8[..<at]
        guard info.isEmpty == false else { return nil }
        let decoded = String(decoding: PercentCoding.decode(info), as: UTF8.self)
        return info.contains(UInt8(ascii: ":")) ? decoded : decoded + ":"
    }

    /// The same URL without them.
    public var withoutCredentials: WebURL {
        guard let at = authority.utf8.lastIndex(of: UInt8(ascii: "@")) else { return self }
        let host = String(Substring(authority.utf8[authority.utf8.index(after: at)...]))
        return WebURL(scheme: scheme, authority: host, path: path, query: query)
    }

    /// Any text that may be a URL, for output: the part before the `@` of its authority becomes `***`.
    public static func withoutSecrets(_ text: String) -> String {
        let bytes = text.utf8
        guard bytes.contains(UInt8(ascii: "@")), let start = text.authorityStart else { return text }
        let rest = bytes[start...]
        let end = rest.firstIndex { "/\\?#".utf8.contains($0) } ?? bytes.endIndex
        guard let at = rest[..<end].lastIndex(of: UInt8(ascii: "@")) else { return text }
        return String(text[..<start]) + "***" + String(text[at...])
    }
}

extension String {
    /// Where the authority begins: after the first two slashes or backslashes.
    fileprivate var authorityStart: Index? {
        var wasSlash = false
        for index in utf8.indices {
            let isSlash = utf8[index] == UInt8(ascii: "/") || utf8[index] == UInt8(ascii: "\\")
            if isSlash, wasSlash { return utf8.index(after: index) }
            wasSlash = isSlash
        }
        return nil
    }
}
