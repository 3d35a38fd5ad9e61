/// Path patterns of `robots.txt` (RFC 9309, 2.2.2 and 2.2.3).
enum RobotsPattern {
    /// The key of a rule's pattern: `*` and a `$` at its end are the wildcards, unless they are written as escapes.
    static func rule(_ written: ArraySlice<UInt8>) -> String {
        let isWhole = written.last == UInt8(ascii: "$")
        let key = key(of: written.dropLast(isWhole ? 1 : 0), isRule: true)
        return String(decoding: key, as: UTF8.self) + (isWhole ? "$" : "")
    }

    /// The key of a requested path with its query.
    static func path(_ written: String) -> [UInt8] { key(of: written.utf8, isRule: false) }

    /// The octets that are compared.
    ///
    /// An escape and the character that it stands for are one, except for the characters that separate the parts of a
    /// URL. A `*` or `$` of the path itself is `%2A` or `%24`.
    private static func key(of written: some Collection<UInt8>, isRule: Bool) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(written.count)
        var isInQuery = false
        PercentCoding.forEach(in: written) { byte, isEscaped in
            let isPlain =
                switch byte {
                case UInt8(ascii: "*"): isRule && isEscaped == false
                case UInt8(ascii: "$"): false
                case UInt8(ascii: "["), UInt8(ascii: "]"): true
                case UInt8(ascii: "/"), UInt8(ascii: "?"): isEscaped == false || isInQuery
                case UInt8(ascii: "&"), UInt8(ascii: "="): isEscaped == false || isInQuery == false
                default: PercentCoding.normal.contains(byte) == false
                }
            if isPlain { result.append(byte) } else { PercentCoding.encode(byte, into: &result) }
            if byte == UInt8(ascii: "?"), isEscaped == false { isInQuery = true }
        }
        return result
    }

    /// Whether `pattern` matches the start of `path`, both as keys: `*` stands for anything, a `$` at the end for the end.
    static func matches(_ pattern: String, _ path: [UInt8]) -> Bool {
        var pattern = pattern
        return pattern.withUTF8 { pattern in
            let isWhole = pattern.last == UInt8(ascii: "$")
            return matches(pattern.extracting(..<(pattern.count - (isWhole ? 1 : 0))), path, isWhole: isWhole)
        }
    }

    private static func matches(_ pattern: UnsafeBufferPointer<UInt8>, _ path: [UInt8], isWhole: Bool) -> Bool {
        var at = 0
        var position = 0
        var star: Int?
        var retry = 0
        while true {
            // A prefix is enough where the end is not asked for.
            if at == pattern.count, isWhole == false || position == path.count { return true }
            if at < pattern.count, pattern[at] == UInt8(ascii: "*") {
                star = at
                retry = position
                at += 1
            } else if at < pattern.count, position < path.count, pattern[at] == path[position] {
                at += 1
                position += 1
            } else if let last = star, retry < path.count {
                // Let the last star take one byte more: never more than path × pattern steps.
                retry += 1
                position = retry
                at = last + 1
            } else {
                return false
            }
        }
    }
}
