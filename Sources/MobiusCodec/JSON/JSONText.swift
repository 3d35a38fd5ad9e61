/// Text in JSON: finding its end, decoding its escapes, and writing it.
enum JSONText {
    /// The place of the first byte from `start` on that is a quotation mark, a backslash or a control character, or `end`.
    ///
    /// Eight bytes are looked at at a time. Those before that place are joined by OR into `seen`: see ``isASCII(_:)``.
    @inline(__always)
    static func end(of bytes: UnsafePointer<UInt8>, from start: Int, to end: Int, seen: inout UInt64) -> Int {
        var at = start
        let last = end &- 8
        while at <= last {
            let word = UInt64(littleEndian: UnsafeRawPointer(bytes + at).loadUnaligned(as: UInt64.self))
            let found = special(in: word)
            if found != 0 {
                // The bits below the lowest that is set, which is the high bit of the special byte.
                seen |= word & ((found & (0 &- found)) &- 1)
                return at &+ found.trailingZeroBitCount / 8
            }
            seen |= word
            at &+= 8
        }
        while at < end, !isSpecial(bytes[at]) {
            seen |= UInt64(bytes[at])
            at += 1
        }
        return at
    }

    /// The same place.
    static func end(of bytes: UnsafePointer<UInt8>, from start: Int, to end: Int) -> Int {
        var seen: UInt64 = 0
        return Self.end(of: bytes, from: start, to: end, seen: &seen)
    }

    /// Whether all bytes that were seen are ASCII.
    static func isASCII(_ seen: UInt64) -> Bool { seen & 0x8080_8080_8080_8080 == 0 }

    /// Returns the number of bytes, of eight, before the first that is special.
    @inline(__always)
    static func plainBytes(in word: UInt64) -> Int {
        // Without one there are 64 zeros.
        special(in: word).trailingZeroBitCount / 8
    }

    /// Returns the number of bytes, of the lowest `count` of up to seven, before the first that is special.
    @inline(__always)
    static func plainBytes(in word: UInt64, count: Int) -> Int {
        // Spaces above them, which are plain.
        plainBytes(in: word | 0x2020_2020_2020_2020 << UInt64(8 &* count))
    }

    /// Up to seven bytes as the lowest of a word, the first as the lowest of all; zeros above them.
    @inline(__always)
    static func fewBytes(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> UInt64 {
        if count >= 4 {
            // Two halves, which may overlap.
            let low = UInt32(littleEndian: UnsafeRawPointer(bytes).loadUnaligned(as: UInt32.self))
            let high = UInt32(
                littleEndian: UnsafeRawPointer(bytes + (count &- 4)).loadUnaligned(as: UInt32.self))
            return UInt64(low) | UInt64(high) << UInt64(8 &* (count &- 4))
        }
        guard count > 0 else { return 0 }
        // The first, the one in the middle and the last, which may be the same.
        let middle = count / 2
        return UInt64(bytes[0]) | UInt64(bytes[middle]) << UInt64(8 &* middle)
            | UInt64(bytes[count &- 1]) << UInt64(8 &* (count &- 1))
    }

    static func isSpecial(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    /// The high bit of each byte that is special; the lowest of them is exact, those above it may be false.
    @inline(__always)
    private static func special(in word: UInt64) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let high: UInt64 = 0x8080_8080_8080_8080
        let quote = word ^ (ones &* 0x22)
        let backslash = word ^ (ones &* 0x5c)
        // A byte is zero when subtracting one borrows into its high bit, which was not set.
        return ((quote &- ones) & ~quote | (backslash &- ones) & ~backslash | (word &- ones &* 0x20) & ~word) & high
    }

    /// A text without escapes, or `nil` when it is not UTF-8 or holds a control character.
    static func plain(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
        guard let base = bytes.baseAddress, !bytes.isEmpty else { return "" }
        guard end(of: base, from: 0, to: bytes.count) == bytes.count else { return nil }
        return valid(base, bytes)
    }

    /// A text of any characters, or `nil` when it is not UTF-8.
    static func unescaped(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
        guard let base = bytes.baseAddress, !bytes.isEmpty else { return "" }
        return valid(base, bytes)
    }

    private static func valid(_ base: UnsafePointer<UInt8>, _ bytes: UnsafeBufferPointer<UInt8>) -> String? {
        // The library's validation looks up generic metadata. Its repair does not, and leaves other bytes than there were.
        var text = String(decoding: bytes, as: UTF8.self)
        if isASCII(base, bytes.count) { return text }
        let isSame = text.withUTF8 { utf8 in
            utf8.count == bytes.count
                && utf8.baseAddress.map { memoryIsEqual($0, base, bytes.count) } ?? true
        }
        return isSame ? text : nil
    }

    /// Whether ``unescaped(_:)`` would find a text.
    static func isUTF8(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let base = bytes.baseAddress else { return true }
        return isASCII(base, bytes.count) || valid(base, bytes) != nil
    }

    /// Whether ``plain(_:)`` would find a text.
    static func isValid(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let base = bytes.baseAddress else { return true }
        return end(of: base, from: 0, to: bytes.count) == bytes.count && isUTF8(bytes)
    }

    static func isASCII(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> Bool {
        var at = 0
        var all: UInt64 = 0
        while count &- at >= 8 {
            all |= UnsafeRawPointer(bytes + at).loadUnaligned(as: UInt64.self)
            at &+= 8
        }
        return isASCII(all | fewBytes(bytes + at, count &- at))
    }

    /// A text with escapes, or `nil` when one of them or its UTF-8 is wrong.
    static func escaped(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
        guard let base = bytes.baseAddress, !bytes.isEmpty else { return "" }
        // No escape decodes to more bytes than it has.
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: bytes.count) { memory in
            var utf8 = Unescaped(base: memory.baseAddress.unsafelyUnwrapped)
            var at = 0
            while true {
                let special = end(of: base, from: at, to: bytes.count)
                utf8.append(base + at, special - at)
                at = special + 1
                guard special < bytes.count else { break }
                guard base[special] == UInt8(ascii: "\\"), unescape(bytes, &at, into: &utf8) else { return nil }
            }
            return valid(utf8.base, UnsafeBufferPointer(start: utf8.base, count: utf8.count))
        }
    }

    /// A text whose escapes are bytes again, in memory that is large enough.
    private struct Unescaped {
        let base: UnsafeMutablePointer<UInt8>
        var count = 0

        mutating func append(_ byte: UInt8) {
            base[count] = byte
            count += 1
        }

        mutating func append(_ bytes: UnsafePointer<UInt8>, _ more: Int) {
            (base + count).update(from: bytes, count: more)
            count += more
        }
    }

    private static func unescape(
        _ bytes: UnsafeBufferPointer<UInt8>, _ at: inout Int, into utf8: inout Unescaped
    ) -> Bool {
        guard at < bytes.count else { return false }
        at += 1
        switch bytes[at - 1] {
        case UInt8(ascii: "\""): utf8.append(UInt8(ascii: "\""))
        case UInt8(ascii: "\\"): utf8.append(UInt8(ascii: "\\"))
        case UInt8(ascii: "/"): utf8.append(UInt8(ascii: "/"))
        case UInt8(ascii: "b"): utf8.append(0x08)
        case UInt8(ascii: "f"): utf8.append(0x0c)
        case UInt8(ascii: "n"): utf8.append(0x0a)
        case UInt8(ascii: "r"): utf8.append(0x0d)
        case UInt8(ascii: "t"): utf8.append(0x09)
        case UInt8(ascii: "u"):
            guard let scalar = scalar(bytes, &at) else { return false }
            for byte in UTF8.encode(scalar).unsafelyUnwrapped { utf8.append(byte) }
        default: return false
        }
        return true
    }

    /// The scalar of `\uXXXX`, or of two that are a pair of surrogates.
    private static func scalar(_ bytes: UnsafeBufferPointer<UInt8>, _ at: inout Int) -> Unicode.Scalar? {
        guard let first = hexadecimal(bytes, &at) else { return nil }
        guard UTF16.isLeadSurrogate(first) else { return Unicode.Scalar(first) }
        guard at + 1 < bytes.count, bytes[at] == UInt8(ascii: "\\"), bytes[at + 1] == UInt8(ascii: "u") else {
            return nil
        }
        at += 2
        guard let second = hexadecimal(bytes, &at), UTF16.isTrailSurrogate(second) else { return nil }
        return Unicode.Scalar(0x1_0000 + (UInt32(first) - 0xd800) << 10 + (UInt32(second) - 0xdc00))
    }

    private static func hexadecimal(_ bytes: UnsafeBufferPointer<UInt8>, _ at: inout Int) -> UInt16? {
        guard at + 4 <= bytes.count else { return nil }
        var value: UInt16 = 0
        for _ in 0..<4 {
            guard let digit = hexadecimal(bytes[at]) else { return nil }
            value = value << 4 | digit
            at += 1
        }
        return value
    }

    /// The value of a hexadecimal digit.
    static func hexadecimal(_ byte: UInt8) -> UInt16? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt16(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt16(byte - UInt8(ascii: "a") + 10)
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt16(byte - UInt8(ascii: "A") + 10)
        default: nil
        }
    }
}

/// Whether so many bytes are the same at two places.
@inline(__always)
func memoryIsEqual(_ one: UnsafePointer<UInt8>, _ other: UnsafePointer<UInt8>, _ count: Int) -> Bool {
    var at = 0
    while count &- at >= 8 {
        let left = UnsafeRawPointer(one + at).loadUnaligned(as: UInt64.self)
        guard left == UnsafeRawPointer(other + at).loadUnaligned(as: UInt64.self) else { return false }
        at &+= 8
    }
    return JSONText.fewBytes(one + at, count &- at) == JSONText.fewBytes(other + at, count &- at)
}

extension String {
    /// Its UTF-8, usually in place: unlike `withUTF8`, which may change the string, it does not count references.
    @inlinable
    @inline(__always)
    func withPlacedUTF8<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        if let result = utf8.withContiguousStorageIfAvailable(body) { return result }
        var copy = self
        return copy.withUTF8(body)
    }
}
