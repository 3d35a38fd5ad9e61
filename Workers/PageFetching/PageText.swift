/// Turns the bytes of an HTML answer into valid UTF-8 without NUL, whatever they claim to be.
package enum PageText {
    /// Hands over the text of `body`, and the encoding that it had.
    ///
    /// The encoding is, in this order: that of a byte order mark; `charset`, from the `Content-Type` header; the one that
    /// the first kilobytes declare (`<meta charset>`, `<meta http-equiv>`, `<?xml encoding?>`); UTF-8 when `body` is
    /// valid UTF-8; else windows-1252. Bytes that the encoding does not know, and NUL, become U+FFFD.
    package static func read<Result>(
        _ body: UnsafeRawBufferPointer, charset: String?, _ use: (UnsafeBufferPointer<UInt8>, PageEncoding) -> Result
    ) -> Result {
        body.withMemoryRebound(to: UInt8.self) { bytes in
            let (stated, start) = encoding(of: bytes, charset: charset)
            let content = UnsafeBufferPointer(rebasing: bytes[start...])
            let isUTF8 = stated ?? .utf8 == .utf8 && isValid(content)
            let encoding = stated ?? (isUTF8 ? .utf8 : .windows1252)
            // Most pages need no change at all.
            if isUTF8, content.contains(0) == false { return use(content, encoding) }
            let text = replacingNUL(decode(content, from: encoding))
            return text.withUnsafeBufferPointer { use($0, encoding) }
        }
    }

    /// The encoding that a page states, and the length of its byte order mark.
    private static func encoding(
        of body: UnsafeBufferPointer<UInt8>, charset: String?
    ) -> (stated: PageEncoding?, mark: Int) {
        if body.starts(with: [0xEF, 0xBB, 0xBF]) { return (.utf8, 3) }
        if body.starts(with: [0xFE, 0xFF]) { return (.utf16BE, 2) }
        if body.starts(with: [0xFF, 0xFE]) { return (.utf16LE, 2) }
        return (charset.flatMap(PageEncoding.init(label:)) ?? MetaCharset.declared(in: body), 0)
    }

    private static func decode(_ body: UnsafeBufferPointer<UInt8>, from encoding: PageEncoding) -> [UInt8] {
        switch encoding {
        case .utf8: Array(String(decoding: body, as: UTF8.self).utf8)
        case .utf16LE: utf16(body) { UInt16($0) | UInt16($1) << 8 }
        case .utf16BE: utf16(body) { UInt16($1) | UInt16($0) << 8 }
        // Encodings that hid scripts from filters: the standard reads nothing of them.
        case .replacement: Array("\u{FFFD}".utf8)
        case _ where encoding.isMultiByte:
            Iconv(from: encoding.systemName, to: "UTF-8")?.decode(body) ?? singleByte(body, .windows1252)
        default: singleByte(body, encoding)
        }
    }

    private static func isValid(_ body: UnsafeBufferPointer<UInt8>) -> Bool {
        isASCII(body) || String(validating: body, as: UTF8.self) != nil
    }

    private static func isASCII(_ body: UnsafeBufferPointer<UInt8>) -> Bool {
        body.reduce(into: 0 as UInt8) { $0 |= $1 } < 0x80
    }

    private static func utf16(_ body: UnsafeBufferPointer<UInt8>, _ unit: (UInt8, UInt8) -> UInt16) -> [UInt8] {
        let units = (0..<body.count / 2).map { unit(body[2 * $0], body[2 * $0 + 1]) }
        return Array(String(decoding: units, as: UTF16.self).utf8)
    }

    private static func singleByte(_ body: UnsafeBufferPointer<UInt8>, _ encoding: PageEncoding) -> [UInt8] {
        let high = (0x80...0xFF).map { character($0, in: encoding) }
        var text = [UInt8]()
        text.reserveCapacity(body.count + body.count / 8)
        for byte in body {
            if byte < 0x80 { text.append(byte) } else { text.append(contentsOf: high[Int(byte) - 0x80]) }
        }
        return text
    }

    /// Returns the character of a byte from 0x80.
    ///
    /// Each is converted alone, as the system puts letters and accents together, and browsers do not.
    private static func character(_ byte: UInt8, in encoding: PageEncoding) -> [UInt8] {
        if encoding == .windows1252 { return Array(String(windows1252(byte)).utf8) }
        let unknown = Array("\u{FFFD}".utf8)
        let text = [byte].withUnsafeBufferPointer { Iconv(from: encoding.systemName, to: "UTF-8")?.decode($0) }
        // The standard fills the gaps of Windows' encodings with control characters.
        return text == unknown && byte < 0xA0 ? Array(String(Unicode.Scalar(byte)).utf8) : text ?? unknown
    }

    /// Returns the character of a byte from 0x80 in windows-1252, which is what the web means by ISO-8859-1.
    static func windows1252(_ byte: UInt8) -> Unicode.Scalar {
        byte < 0xA0 ? windows1252Controls[Int(byte) - 0x80] : Unicode.Scalar(byte)
    }

    private static let windows1252Controls = Array(
        "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8D}Ž\u{8F}\u{90}‘’“”•–—˜™š›œ\u{9D}žŸ".unicodeScalars)

    private static func replacingNUL(_ text: [UInt8]) -> [UInt8] {
        text.contains(0) ? text.flatMap { $0 == 0 ? [0xEF, 0xBF, 0xBD] : [$0] } : text
    }
}
