/// Percent-encoding (RFC 3986, 2.1 and 6.2.2) over UTF-8 bytes.
enum PercentCoding {
    /// The bytes that need no encoding in one part of a URL.
    struct Allowed {
        private let table: [Bool]

        init(_ more: String) {
            var table = [Bool](repeating: false, count: 256)
            for byte in UInt8.min...UInt8.max where PercentCoding.isUnreserved(byte) { table[Int(byte)] = true }
            for byte in more.utf8 { table[Int(byte)] = true }
            self.table = table
        }

        func contains(_ byte: UInt8) -> Bool { table[Int(byte)] }

        /// `pchar` and the slash.
        static let path = Allowed("!$&'()*+,;=:@/")
        /// `pchar`, the slash and the question mark: queries and fragments.
        static let query = Allowed("!$&'()*+,;=:@/?")
        /// `userinfo`.
        static let userInfo = Allowed("!$&'()*+,;=:")
    }

    /// Letters, digits and `-._~`: never encoded.
    static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }

    /// The normal form: unreserved bytes decoded, others encoded in upper case, a stray `%` taken literally.
    static func normalize(_ bytes: some Collection<UInt8>, allowed: Allowed) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var index = bytes.startIndex
        while index != bytes.endIndex {
            let byte = bytes[index]
            bytes.formIndex(after: &index)
            if byte != UInt8(ascii: "%") {
                if allowed.contains(byte) { result.append(byte) } else { encode(byte, into: &result) }
            } else if let (decoded, next) = escape(in: bytes, after: index) {
                index = next
                if isUnreserved(decoded) { result.append(decoded) } else { encode(decoded, into: &result) }
            } else {
                encode(byte, into: &result)
            }
        }
        return result
    }

    /// The decoded bytes; a stray `%` is taken literally.
    static func decode(_ bytes: some Collection<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var index = bytes.startIndex
        while index != bytes.endIndex {
            let byte = bytes[index]
            bytes.formIndex(after: &index)
            if byte == UInt8(ascii: "%"), let (decoded, next) = escape(in: bytes, after: index) {
                index = next
                result.append(decoded)
            } else {
                result.append(byte)
            }
        }
        return result
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

    private static func encode(_ byte: UInt8, into result: inout [UInt8]) {
        result.append(UInt8(ascii: "%"))
        result.append(digit(byte >> 4))
        result.append(digit(byte & 15))
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }
}
