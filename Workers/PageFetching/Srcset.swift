/// The image candidates of a `srcset` attribute (HTML standard, "parsing a srcset attribute").
package enum Srcset {
    /// The URLs of the candidates, in order, as written.
    ///
    /// A comma inside a URL belongs to the URL; one at its end, or outside the parentheses of a descriptor, ends the
    /// candidate. Descriptors are not judged: a candidate with a bad one still names an address that can be broken.
    package static func urls(in attribute: String) -> [String] {
        let bytes = Array(attribute.utf8)
        var urls: [String] = []
        var at = 0
        while true {
            while at < bytes.count, isSpace(bytes[at]) || bytes[at] == comma { at += 1 }
            guard at < bytes.count else { return urls }
            let start = at
            while at < bytes.count, isSpace(bytes[at]) == false { at += 1 }
            var end = at
            while end > start, bytes[end - 1] == comma { end -= 1 }
            urls.append(String(decoding: bytes[start..<end], as: UTF8.self))
            if end == at { skipDescriptors(bytes, &at) }
        }
    }

    private static let comma = UInt8(ascii: ",")

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) && byte != 0x0B }

    private static func skipDescriptors(_ bytes: [UInt8], _ at: inout Int) {
        var inParentheses = false
        while at < bytes.count {
            switch bytes[at] {
            case UInt8(ascii: "("): inParentheses = true
            case UInt8(ascii: ")"): inParentheses = false
            case comma where inParentheses == false: return
            default: break
            }
            at += 1
        }
    }
}
