/// An array of numbers or of records of numbers that is one base64 text to a coder.
///
/// A hundred thousand records then cost a JSON coder as much as one string. The text holds the array's memory: elements
/// must have no padding, or equal arrays give different texts, and no bit pattern that is no value.
@propertyWrapper
struct Packed<Element: BitwiseCopyable & Sendable & Equatable>: Codable, Sendable, Equatable {
    var wrappedValue: [Element]

    init(wrappedValue: [Element]) { self.wrappedValue = wrappedValue }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let size = MemoryLayout<Element>.stride
        guard let bytes = Base64.decode(try container.decode(String.self)), bytes.count % size == 0 else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "the packed array is damaged")
        }
        wrappedValue = [Element](unsafeUninitializedCapacity: bytes.count / size) { memory, count in
            UnsafeMutableRawBufferPointer(memory).copyBytes(from: bytes)
            count = bytes.count / size
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(wrappedValue.withUnsafeBytes(Base64.encode))
    }
}

/// Base64 (RFC 4648, 4), without Foundation.
private enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let padding = UInt8(ascii: "=")
    /// The value of each letter; 255 for all other bytes.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: .max, count: 256)
        for (value, letter) in alphabet.enumerated() { values[Int(letter)] = UInt8(value) }
        return values
    }()

    static func encode(_ bytes: UnsafeRawBufferPointer) -> String {
        let alphabet = alphabet
        let capacity = (bytes.count + 2) / 3 * 4
        return String(unsafeUninitializedCapacity: capacity) { text in
            var end = 0
            for start in stride(from: 0, to: bytes.count, by: 3) {
                let left = bytes.count - start
                let second = left > 1 ? bytes[start + 1] : 0
                let third = left > 2 ? bytes[start + 2] : 0
                text[end] = alphabet[Int(bytes[start] >> 2)]
                text[end + 1] = alphabet[Int((bytes[start] & 3) << 4 | second >> 4)]
                text[end + 2] = left > 1 ? alphabet[Int((second & 15) << 2 | third >> 6)] : padding
                text[end + 3] = left > 2 ? alphabet[Int(third & 63)] : padding
                end += 4
            }
            return end
        }
    }

    /// `nil` when `text` is no base64.
    static func decode(_ text: String) -> [UInt8]? {
        let values = values
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count / 4 * 3)
        var (bits, count): (UInt32, UInt32) = (0, 0)
        for letter in text.utf8 {
            if letter == padding { break }
            let value = values[Int(letter)]
            guard value != .max else { return nil }
            (bits, count) = (bits << 6 | UInt32(value), count + 6)
            guard count >= 8 else { continue }
            count -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> count))
        }
        return bytes
    }
}
