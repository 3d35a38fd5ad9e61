extension Payload {
    /// The name of the enum case that the payload codes, for lists; `nil` when it codes none that is known.
    ///
    /// It is the first key of a JSON object, or of a CBOR map with one entry, if that is an identifier: so content is never
    /// taken for a name.
    package var caseName: String? {
        let key: ArraySlice<UInt8>?
        switch kind.contentType {
        case PayloadKind.jsonContentType: key = firstJSONKey
        case PayloadKind.cborContentType: key = onlyCBORKey
        default: key = nil
        }
        guard let key, (1...64).contains(key.count), let first = key.first, !Self.isDigit(first),
            key.allSatisfy({ Self.isLetter($0) || Self.isDigit($0) })
        else { return nil }
        return String(decoding: key, as: UTF8.self)
    }

    private var firstJSONKey: ArraySlice<UInt8>? {
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
        var rest = bytes[...].drop(while: isSpace)
        guard rest.popFirst() == UInt8(ascii: "{") else { return nil }
        rest = rest.drop(while: isSpace)
        guard rest.popFirst() == UInt8(ascii: "\"") else { return nil }
        let key = rest.prefix(65).prefix { $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
        guard rest.dropFirst(key.count).first == UInt8(ascii: "\"") else { return nil }
        return key
    }

    private var onlyCBORKey: ArraySlice<UInt8>? {
        // A map of one entry, whose key is a text with its length in the first byte or in the one behind it.
        guard bytes.count > 2, bytes[0] == 0xA1 else { return nil }
        let (start, count) = bytes[1] == 0x78 ? (3, Int(bytes[2])) : (2, Int(bytes[1]) - 0x60)
        guard bytes[1] == 0x78 || (0x60...0x77).contains(bytes[1]), bytes.count - start >= count else { return nil }
        return bytes[start..<start + count]
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func isLetter(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "_") || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
}
