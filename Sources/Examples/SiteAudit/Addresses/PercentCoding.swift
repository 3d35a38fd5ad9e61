/// Percent-encoding over UTF-8 bytes: that of the URL standard, and the normal form of RFC 3986, 6.2.2.
enum PercentCoding {
    /// The URL standard's path percent-encode set.
    static let path = ByteSet(controlsAnd: "\"#<>?^`{}")
    /// The URL standard's special-query percent-encode set.
    static let query = ByteSet(controlsAnd: "\"#<>'")
    /// The URL standard's userinfo percent-encode set.
    static let userInfo = ByteSet(controlsAnd: "\"#<>?^`{}/:;=@[\\]|")
    /// The characters that RFC 3986 allows unencoded neither in a path nor in a query.
    static let normal = ByteSet(allButUnreservedAnd: "!$&'()*+,;=:@/?")

    /// Letters, digits and `-._~`.
    static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }

    /// Appends `bytes`, with those in `set` encoded; escapes stay as they are.
    static func append(_ bytes: UnsafeBufferPointer<UInt8>, encoding set: ByteSet, to output: inout [UInt8]) {
        var start = 0
        for index in bytes.indices where set.contains(bytes[index]) {
            output.append(contentsOf: bytes.extracting(start..<index))
            encode(bytes[index], into: &output)
            start = index + 1
        }
        output.append(contentsOf: bytes.extracting(start...))
    }

    /// The normal form of a path or query: unreserved bytes decoded, others encoded in upper case, a stray `%` taken
    /// literally.
    static func normalize(_ bytes: some Collection<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        forEach(in: bytes) { byte, isEscaped in
            let isKept = isEscaped ? isUnreserved(byte) : normal.contains(byte) == false
            if isKept { result.append(byte) } else { encode(byte, into: &result) }
        }
        return result
    }

    /// The decoded bytes; a stray `%` is taken literally.
    static func decode(_ bytes: some Collection<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        forEach(in: bytes) { byte, _ in result.append(byte) }
        return result
    }

    /// Calls `body` with each byte, and whether it was written as an escape.
    static func forEach(in bytes: some Collection<UInt8>, _ body: (UInt8, _ isEscaped: Bool) -> Void) {
        var index = bytes.startIndex
        while index != bytes.endIndex {
            let byte = bytes[index]
            bytes.formIndex(after: &index)
            if byte == UInt8(ascii: "%"), let (decoded, next) = escape(in: bytes, after: index) {
                index = next
                body(decoded, true)
            } else {
                body(byte, false)
            }
        }
    }

    private static func escape<Bytes: Collection<UInt8>>(
        in bytes: Bytes, after index: Bytes.Index
    ) -> (byte: UInt8, next: Bytes.Index)? {
        guard index != bytes.endIndex, let high = hexadecimal(bytes[index]) else { return nil }
        let second = bytes.index(after: index)
        guard second != bytes.endIndex, let low = hexadecimal(bytes[second]) else { return nil }
        return (high << 4 | low, bytes.index(after: second))
    }

    /// The value of one hexadecimal digit.
    static func hexadecimal(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    /// Appends `byte` as an escape, in upper case.
    static func encode(_ byte: UInt8, into result: inout [UInt8]) {
        result.append(UInt8(ascii: "%"))
        result.append(digit(byte >> 4))
        result.append(digit(byte & 15))
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }
}
