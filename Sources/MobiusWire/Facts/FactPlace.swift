/// A place in a list of loops found by their facts: where its next page begins.
///
/// Lists without a sort are ordered by the loops' names, so that their keys are empty.
public struct FactPlace: Hashable, Sendable {
    /// The key of the fact that the list is sorted by.
    public let key: [UInt8]
    /// The loop.
    public let loop: LoopID

    /// Names a place.
    public init(key: [UInt8], loop: LoopID) {
        self.key = key
        self.loop = loop
    }
}

extension FactPlace: Comparable {
    /// Orders by the keys' bytes, then by those of the loops' names.
    public static func < (lhs: FactPlace, rhs: FactPlace) -> Bool {
        lhs.key == rhs.key ? lhs.loop.precedes(rhs.loop) : lhs.key.lexicographicallyPrecedes(rhs.key)
    }
}

extension FactPlace: TextCoded {
    /// The key in hexadecimal digits, a full stop, the loop's name: `02c059000000000000.order/7`.
    package var text: String {
        key.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + ".\(loop.name)"
    }

    /// Reads what ``text`` writes.
    package init?(text: String) {
        // By bytes: a name may begin with what joins the full stop in one character.
        guard let stop = text.utf8.firstIndex(of: UInt8(ascii: ".")), let name = String(text.utf8[stop...].dropFirst()),
            let loop = LoopID(name)
        else { return nil }
        let digits = text.utf8[..<stop].prefix(2 * FactValue.maximumKey).compactMap {
            Character(UnicodeScalar($0)).hexDigitValue
        }
        guard digits.count.isMultiple(of: 2) else { return nil }
        let bytes = stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
        self.init(key: bytes, loop: loop)
        // Nothing else is read than what is written.
        guard self.text.utf8.elementsEqual(text.utf8) else { return nil }
    }
}
