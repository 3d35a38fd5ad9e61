/// A set of bytes; those from 0x80 on are always in it.
struct ByteSet: Sendable {
    private let low: UInt64
    private let high: UInt64

    private init(_ isMember: (UInt8) -> Bool) {
        var words: [UInt64] = [0, 0]
        for byte in UInt8(0)..<0x80 where isMember(byte) { words[Int(byte >> 6)] |= 1 << UInt64(byte & 63) }
        (low, high) = (words[0], words[1])
    }

    /// C0 controls, DEL, the space, and more.
    init(controlsAnd more: String) {
        self.init { $0 <= 0x20 || $0 == 0x7F || more.utf8.contains($0) }
    }

    /// All but unreserved characters (RFC 3986, 2.3) and `others`.
    init(allButUnreservedAnd others: String) {
        self.init { PercentCoding.isUnreserved($0) == false && others.utf8.contains($0) == false }
    }

    func contains(_ byte: UInt8) -> Bool {
        if byte >= 0x80 { return true }
        return (byte < 64 ? low : high) >> UInt64(byte & 63) & 1 == 1
    }
}
