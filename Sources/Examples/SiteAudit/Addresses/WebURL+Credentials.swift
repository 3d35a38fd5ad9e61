/// User and password in a URL: they are sent as a header, and masked in output for people. Journals contain them.
extension WebURL {
    /// `user:password`, decoded; `nil` when the URL has neither.
    public var credentials: String? {
        let authority = self.authority.utf8
        guard let at = authority.lastIndex(of: UInt8(ascii: "@")) else { return nil }
        let info = authority[..<at]
        let decoded = String(decoding: PercentCoding.decode(info), as: UTF8.self)
        return info.contains(UInt8(ascii: ":")) ? decoded : decoded + ":"
    }

    /// The same URL without them.
    public var withoutCredentials: WebURL {
        guard authority.utf8.contains(UInt8(ascii: "@")) else { return self }
        let text = origin + pathAndQuery
        let cut = self.text.utf8.count - text.utf8.count
        return WebURL(text: text, authorityStart: authorityStart, pathStart: pathStart - cut, pathEnd: pathEnd - cut)
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
    /// The beginning of the authority.
    ///
    /// It is after the slashes or backslashes behind `http:` or `https:`, of which there may be any number, or after
    /// the first two or more in a row.
    fileprivate var authorityStart: Index? {
        let isSlash = { (byte: UInt8) in byte == UInt8(ascii: "/") || byte == UInt8(ascii: "\\") }
        var front = utf8.startIndex
        if let colon = utf8.firstIndex(of: UInt8(ascii: ":")) {
            let scheme = self[..<colon].utf8.filter { $0 > 0x20 }.map { $0 | 0x20 }
            if scheme.elementsEqual("http".utf8) || scheme.elementsEqual("https".utf8) {
                front = utf8.index(after: colon)
                // White space between them is none to a browser.
                return utf8[front...].firstIndex { isSlash($0) == false && $0 > 0x20 }
            }
        }
        while let slash = utf8[front...].firstIndex(where: isSlash) {
            let end = utf8[slash...].firstIndex { isSlash($0) == false } ?? utf8.endIndex
            if utf8.distance(from: slash, to: end) > 1 { return end }
            front = end
        }
        return nil
    }
}
