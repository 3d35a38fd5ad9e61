extension Payload {
    /// The name of the enum case that the payload codes, for lists; `nil` when it codes none that is known.
    ///
    /// It is the first key of a JSON object, if that is an identifier: so content is never taken for a name.
    package var caseName: String? {
        guard kind.contentType == PayloadKind.jsonContentType, let key = firstJSONKey, (1...64).contains(key.count),
            let first = key.first, !Self.isDigit(first),
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

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func isLetter(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "_") || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
}
