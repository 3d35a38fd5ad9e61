/// Base64 (RFC 4648, 4), without Foundation.
enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: .max, count: 256)
        for (value, letter) in alphabet.enumerated() { values[Int(letter)] = UInt8(value) }
        return values
    }()

    static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        let padding = UInt8(ascii: "=")
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let left = bytes.count - start
            let second = left > 1 ? bytes[start + 1] : 0
            let third = left > 2 ? bytes[start + 2] : 0
            text.append(alphabet[Int(bytes[start] >> 2)])
            text.append(alphabet[Int((bytes[start] & 3) << 4 | second >> 4)])
            text.append(left > 1 ? alphabet[Int((second & 15) << 2 | third >> 6)] : padding)
            text.append(left > 2 ? alphabet[Int(third & 63)] : padding)
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// `nil` when `text` is no base64.
    static func decode(_ text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count / 4 * 3)
        var bits: UInt32 = 0
        var count = 0
        for letter in text.utf8 {
            if letter == UInt8(ascii: "=") { break }
            let value = values[Int(letter)]
            guard value != .max else { return nil }
            bits = bits << 6 | UInt32(value)
            count += 6
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            }
        }
        return bytes
    }
}
