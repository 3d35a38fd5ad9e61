/// Writes the queries of a page's links in the page's encoding, as the URL standard wants ("percent-encode after encoding").
package struct QueryEncoder: Sendable {
    private let encoding: PageEncoding

    /// Writes for a page in `encoding`; `nil` when its queries are in UTF-8.
    package init?(_ encoding: PageEncoding) {
        guard [.utf8, .utf16LE, .utf16BE, .replacement].contains(encoding) == false else { return nil }
        self.encoding = encoding
    }

    /// The bytes of a query as it stands in a link; a character that the encoding does not have is written `%26%23NNNN%3B`.
    package func encoded(_ query: String) -> [UInt8] {
        guard let iconv = Iconv(from: "UTF-8", to: encoding.systemNameForWriting) else { return Array(query.utf8) }
        return iconv.encode(query) { Array("%26%23\($0.value)%3B".utf8) }
    }
}
