/// Turns the bytes of an HTML answer into valid UTF-8 without NUL, whatever they claim to be.
package enum PageText {
    /// The text of `body`.
    ///
    /// The encoding is, in this order: that of a byte order mark; `charset`, from the `Content-Type` header; the one that
    /// the first kilobytes declare (`<meta charset>`, `<meta http-equiv>`, `<?xml encoding?>`); UTF-8 when `body` is
    /// valid UTF-8; else windows-1252. Bytes that the encoding does not know, and NUL, become U+FFFD.
    package static func decode(_ body: UnsafeRawBufferPointer, charset: String?) -> [UInt8] {
        let text = decodeKeepingNUL(body, charset: charset)
        return text.contains(0) ? replacingNUL(text) : text
    }

    private static func decodeKeepingNUL(_ body: UnsafeRawBufferPointer, charset: String?) -> [UInt8] {
        if body.starts(with: [0xEF, 0xBB, 0xBF]) { return repaired(UnsafeRawBufferPointer(rebasing: body[3...])) }
        if body.starts(with: [0xFF, 0xFE]) || body.starts(with: [0xFE, 0xFF]) { return utf16(body) }
        if let charset, let text = decode(body, as: CharsetLabel(charset)) { return text }
        if let declared = CharsetLabel.declared(in: body.prefix(4_096)),
            let text = decode(body, as: CharsetLabel(declared))
        {
            return text
        }
        return String(validating: body, as: UTF8.self) == nil ? windows1252(body) : Array(body)
    }

    /// `nil` when the label means nothing here.
    private static func decode(_ body: UnsafeRawBufferPointer, as label: CharsetLabel) -> [UInt8]? {
        switch label {
        case .utf8: repaired(body)
        case .windows1252: windows1252(body)
        case .iconv(let name): Iconv(from: name)?.convert(body)
        case .unknown: nil
        }
    }

    private static func repaired(_ body: UnsafeRawBufferPointer) -> [UInt8] {
        // Most pages are valid, and then the bytes need no second copy through a String.
        String(validating: body, as: UTF8.self) == nil ? Array(String(decoding: body, as: UTF8.self).utf8) : Array(body)
    }

    private static func utf16(_ body: UnsafeRawBufferPointer) -> [UInt8] {
        let isLittle = body[0] == 0xFF
        let units = (1..<max(1, body.count / 2)).map { index -> UInt16 in
            let pair = (UInt16(body[2 * index]), UInt16(body[2 * index + 1]))
            return isLittle ? pair.0 | pair.1 << 8 : pair.1 | pair.0 << 8
        }
        return Array(String(decoding: units, as: UTF16.self).utf8)
    }

    private static func windows1252(_ body: UnsafeRawBufferPointer) -> [UInt8] {
        var text = [UInt8]()
        text.reserveCapacity(body.count + body.count / 8)
        for byte in body {
            if byte < 0x80 {
                text.append(byte)
            } else {
                let scalar = byte < 0xA0 ? windows1252High[Int(byte) - 0x80] : Unicode.Scalar(byte)
                text.append(contentsOf: UTF8.encode(scalar).unsafelyUnwrapped)  // Every scalar has a UTF-8 form.
            }
        }
        return text
    }

    /// 0x80…0x9F of windows-1252, which is what the web means by ISO-8859-1 (WHATWG Encoding, index windows-1252).
    private static let windows1252High = Array(
        "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8D}Ž\u{8F}\u{90}‘’“”•–—˜™š›œ\u{9D}žŸ".unicodeScalars)

    private static func replacingNUL(_ text: [UInt8]) -> [UInt8] {
        text.flatMap { $0 == 0 ? [0xEF, 0xBF, 0xBD] : [$0] }
    }
}
