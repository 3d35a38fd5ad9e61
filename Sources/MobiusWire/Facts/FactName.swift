/// The rule for names of facts.
package enum FactName {
    /// The longest name, in bytes.
    package static let maximumLength = 63

    /// The rule as a part of a sentence.
    static let rule = "a name is a letter, then up to \(maximumLength - 1) letters, digits or underscores, all ASCII"

    /// Whether a fact may have this name.
    package static func isValid(_ name: String) -> Bool {
        guard let first = name.utf8.first, (1...maximumLength).contains(name.utf8.count) else { return false }
        return isLetter(first) && name.utf8.allSatisfy { isLetter($0) || isDigit($0) || $0 == UInt8(ascii: "_") }
    }

    /// What stands before the names of a kind's facts in journals of several programs: `order/`.
    package static func prefix(of kind: String) -> String { "\(kind)/" }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
