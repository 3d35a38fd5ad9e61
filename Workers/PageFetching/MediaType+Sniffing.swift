extension MediaType {
    /// The number of a body's bytes that decide about its type ("resource header").
    package static let sniffedBytes = 1_445

    /// The type of an answer ("computed MIME type"); `nil` when it has neither a type nor a body.
    ///
    /// A type that is stated is believed. Without one the beginning of the body decides.
    /// - Parameters:
    ///   - contentTypeHeaders: the values of all `Content-Type` fields, in order.
    ///   - noSniff: whether `X-Content-Type-Options: nosniff` forbids to take the body for HTML.
    ///   - beginning: the body, or at least its first `sniffedBytes`.
    package static func computed(
        contentTypeHeaders: [String], noSniff: Bool, beginning: UnsafeRawBufferPointer
    ) -> MediaType? {
        let stated = MediaType(headers: contentTypeHeaders)
        if let stated, stated.essence != "unknown/unknown", stated.essence != "application/unknown" { return stated }
        guard var type = sniffed(from: beginning, scriptable: noSniff == false) else { return stated }
        type.charset = stated?.charset
        return type
    }

    /// The type of a body that came without one ("rules for identifying an unknown MIME type"); `nil` for an empty one.
    ///
    /// - Parameter scriptable: whether it may be found to be HTML, XML or PDF.
    package static func sniffed(from body: UnsafeRawBufferPointer, scriptable: Bool = true) -> MediaType? {
        guard body.isEmpty == false else { return nil }
        let head = body.prefix(sniffedBytes)
        if scriptable {
            let text = head.drop { isSpace($0) }
            if tags.contains(where: { isTag($0, at: text) }) { return MediaType("text/html") }
            if text.starts(with: "<?xml".utf8) { return MediaType("text/xml") }
            if head.starts(with: "%PDF-".utf8) { return MediaType("application/pdf") }
        }
        if let known = magic.first(where: { head.starts(with: $0.bytes) }) { return MediaType(known.essence) }
        if head.starts(with: "RIFF".utf8), head.dropFirst(8).starts(with: "WEBPVP".utf8) {
            return MediaType("image/webp")
        }
        return MediaType(head.contains(where: isBinary) ? "application/octet-stream" : "text/plain")
    }

    /// The beginnings of HTML, in lower case; a space or `>` must follow.
    private static let tags = [
        "<!doctype html", "<html", "<head", "<script", "<iframe", "<h1", "<div", "<font", "<table", "<a", "<style",
        "<title", "<b", "<body", "<br", "<p", "<!--",
    ]

    /// The types whose content begins with bytes of its own; a byte order mark makes text, whatever follows.
    private static let magic: [(bytes: [UInt8], essence: String)] = [
        (Array("%!PS-Adobe-".utf8), "application/postscript"),
        ([0xFE, 0xFF], "text/plain"), ([0xFF, 0xFE], "text/plain"), ([0xEF, 0xBB, 0xBF], "text/plain"),
        ([0, 0, 1, 0], "image/x-icon"), ([0, 0, 2, 0], "image/x-icon"), (Array("BM".utf8), "image/bmp"),
        (Array("GIF87a".utf8), "image/gif"), (Array("GIF89a".utf8), "image/gif"),
        ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], "image/png"), ([0xFF, 0xD8, 0xFF], "image/jpeg"),
        ([0x1F, 0x8B, 0x08], "application/x-gzip"), (Array("PK\u{3}\u{4}".utf8), "application/zip"),
    ]

    private static func isTag(_ tag: String, at text: Slice<UnsafeRawBufferPointer>) -> Bool {
        guard text.count > tag.utf8.count else { return false }
        let end = text[text.startIndex + tag.utf8.count]
        guard end == 0x20 || end == UInt8(ascii: ">") else { return false }
        return zip(tag.utf8, text).allSatisfy { $0 == $1 || (0x61...0x7A).contains($0) && $0 == $1 | 0x20 }
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 9 || byte == 10 || byte == 12 || byte == 13
    }

    /// "Binary data byte".
    private static func isBinary(_ byte: UInt8) -> Bool {
        byte <= 0x08 || byte == 0x0B || (0x0E...0x1A).contains(byte) || (0x1C...0x1F).contains(byte)
    }
}
