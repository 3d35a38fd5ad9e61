/// The encoding that the beginning of a page declares ("prescan a byte stream to determine its encoding").
enum MetaCharset {
    /// The number of a page's bytes that are searched.
    ///
    /// The standard advises 1,024 bytes, but a browser that finds a declaration later begins anew.
    private static let searchedBytes = 4_096

    /// The encoding of the first `<meta>` that names one, or that of an XML declaration; `nil` when there is none.
    static func declared(in page: UnsafeBufferPointer<UInt8>) -> PageEncoding? {
        let head = UnsafeBufferPointer(rebasing: page.prefix(searchedBytes))
        var tokens = HTMLTokenizer(head, treatsAllAsMarkup: true)
        while tokens.next() {
            guard tokens.tag.element == .meta, tokens.tag.isEnd == false else { continue }
            if let encoding = label(in: tokens.tag).flatMap(PageEncoding.init(declared:)) { return encoding }
        }
        return xmlLabel(in: head).flatMap(PageEncoding.init(declared:))
    }

    private static func label(in meta: HTMLTag) -> String? {
        if let charset = meta.written("charset") { return String(decoding: charset, as: UTF8.self) }
        guard let pragma = meta.written("http-equiv"), let content = meta.written("content"),
            String(decoding: pragma, as: UTF8.self).lowercasedASCII == "content-type"
        else { return nil }
        return charset(in: String(decoding: content, as: UTF8.self))
    }

    /// The value behind `charset=` in a `content` ("extracting a character encoding from a meta element").
    private static func charset(in content: String) -> String? {
        var rest = Substring(content.lowercasedASCII)
        while let found = rest.firstRange(of: "charset") {
            rest = rest[found.upperBound...].drop { $0.isWhitespace }
            guard rest.first == "=" else { continue }
            rest = rest.dropFirst().drop { $0.isWhitespace }
            guard let quote = rest.first, quote == "\"" || quote == "'" else {
                return String(rest.prefix { $0.isWhitespace == false && $0 != ";" })
            }
            rest = rest.dropFirst()
            return rest.firstIndex(of: quote).map { String(rest[..<$0]) }
        }
        return nil
    }

    /// The value of `encoding=` in `<?xml … ?>`.
    private static func xmlLabel(in head: UnsafeBufferPointer<UInt8>) -> String? {
        guard head.starts(with: "<?xml".utf8) else { return nil }
        let declaration = String(decoding: head.prefix { $0 != UInt8(ascii: ">") }, as: UTF8.self)
        guard let found = declaration.firstRange(of: "encoding") else { return nil }
        let rest = declaration[found.upperBound...].drop { $0.isWhitespace || $0 == "=" }
        guard let quote = rest.first, quote == "\"" || quote == "'" else { return nil }
        return String(rest.dropFirst().prefix { $0 != quote })
    }
}
