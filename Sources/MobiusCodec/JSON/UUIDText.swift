import Foundation

/// UUIDs as JSON has them: 36 characters, written in capitals.
enum UUIDText {
    /// Returns whether a place holds a hyphen.
    private static func isHyphen(_ place: Int) -> Bool { place == 8 || place == 13 || place == 18 || place == 23 }

    /// The UUID of a text in the usual form; `nil` for all others.
    static func uuid(of text: UnsafeBufferPointer<UInt8>) -> UUID? {
        guard text.count == 36 else { return nil }
        var number: UInt128 = 0
        for place in 0..<36 {
            if isHyphen(place) {
                guard text[place] == UInt8(ascii: "-") else { return nil }
            } else {
                guard let digit = JSONText.hexadecimal(text[place]) else { return nil }
                number = number << 4 | UInt128(digit)
            }
        }
        return withUnsafeBytes(of: number.bigEndian) { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }

    /// The text of a UUID, in 36 bytes of memory.
    static func write(_ uuid: UUID, to memory: UnsafeMutablePointer<UInt8>) {
        var number = UInt128(bigEndian: withUnsafeBytes(of: uuid.uuid) { $0.loadUnaligned(as: UInt128.self) })
        for place in (0..<36).reversed() {
            if isHyphen(place) {
                memory[place] = UInt8(ascii: "-")
            } else {
                let digit = UInt8(truncatingIfNeeded: number & 15)
                memory[place] = digit < 10 ? digit + UInt8(ascii: "0") : digit - 10 + UInt8(ascii: "A")
                number >>= 4
            }
        }
    }
}

extension OutputBytes {
    /// A UUID as JSON has it.
    mutating func appendText(_ uuid: UUID) {
        reserve(38)
        append(UInt8(ascii: "\""))
        UUIDText.write(uuid, to: base + count)
        count += 36
        append(UInt8(ascii: "\""))
    }
}
