/// The hash that compares models: FNV-1a, 64 bits.
///
/// It detects accidents, not attacks. Source: Fowler, Noll and Vo, RFC 9923.
public enum FNV1a {
    /// Hashes bytes; the hash of no bytes is the offset basis `0xcbf29ce484222325`.
    public static func hash(_ bytes: [UInt8]) -> UInt64 { hash(bytes[...]) }

    /// Hashes a part of bytes.
    package static func hash(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in bytes {
            hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3
        }
        return hash
    }

    /// A hash as people see it: 16 hexadecimal digits.
    package static func text(_ hash: UInt64) -> String {
        String(unsafeUninitializedCapacity: 16) { digits in
            for place in 0..<16 {
                let digit = UInt8(truncatingIfNeeded: hash >> UInt64(60 - 4 * place) & 15)
                digits[place] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
            }
            return 16
        }
    }
}
