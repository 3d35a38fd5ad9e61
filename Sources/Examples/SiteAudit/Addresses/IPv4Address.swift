/// An IPv4 address in any of the spellings of C's `inet_aton` (https://url.spec.whatwg.org/#concept-ipv4-parser).
struct IPv4Address {
    private let value: UInt32

    /// Whether a host is an address or invalid, because its last label is a number; a dot may follow.
    static func isMeant(by host: ArraySlice<UInt8>) -> Bool {
        let name = host.last == UInt8(ascii: ".") ? host.dropLast() : host
        let label = name[(name.lastIndex(of: UInt8(ascii: ".")).map { $0 + 1 } ?? name.startIndex)...]
        guard let first = label.first, UInt8(ascii: "0")...UInt8(ascii: "9") ~= first else { return false }
        return label.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 } || number(label) != nil
    }

    /// Reads up to four decimal, octal (`0177`) or hexadecimal (`0x7f`) numbers, of which the last fills what is left.
    init?(_ host: ArraySlice<UInt8>) {
        let name = host.last == UInt8(ascii: ".") ? host.dropLast() : host
        let parts = name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let numbers = parts.compactMap(Self.number)
        guard parts.count <= 4, numbers.count == parts.count, let last = numbers.last else { return nil }
        guard numbers.dropLast().allSatisfy({ $0 <= 255 }), last < 1 << UInt64(8 * (5 - numbers.count)) else {
            return nil
        }
        let front = numbers.dropLast().enumerated().map { $0.element << UInt64(24 - 8 * $0.offset) }
        value = UInt32(front.reduce(last, |))
    }

    /// Four decimal numbers.
    var text: String { "\(value >> 24).\(value >> 16 & 255).\(value >> 8 & 255).\(value & 255)" }

    /// A number in lower case; beyond 32 bits it is no more than known to be so.
    private static func number(_ text: ArraySlice<UInt8>) -> UInt64? {
        guard text.isEmpty == false else { return nil }
        var digits = text
        var radix: UInt64 = 10
        if text.starts(with: "0x".utf8) {
            (digits, radix) = (text.dropFirst(2), 16)
        } else if text.count > 1, text.first == UInt8(ascii: "0") {
            (digits, radix) = (text.dropFirst(), 8)
        }
        var value: UInt64 = 0
        for byte in digits {
            guard let digit = PercentCoding.hexadecimal(byte), digit < radix else { return nil }
            value = min(value * radix + UInt64(digit), 1 << 32)
        }
        return value
    }
}
