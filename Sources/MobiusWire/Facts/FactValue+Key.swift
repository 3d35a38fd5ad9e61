extension FactValue {
    /// The sorts of values in the order of their keys; the raw value is a key's first byte.
    enum Sort: UInt8 {
        case bool = 1
        case number, time, text
    }

    /// The longest text of a key, in bytes of UTF-8.
    package static let maximumText = 256
    /// The longest key.
    package static let maximumKey = 1 + maximumText

    /// Bytes whose order is the order of values: bools, then numbers, times, texts.
    ///
    /// Whole numbers and doubles are numbers alike, so that 100 and 100.0 have one key. A text has its first
    /// ``maximumText`` bytes, cut between Unicode scalars. It is empty for what is no finite number, which has no place
    /// among the others.
    package var key: [UInt8] {
        switch self {
        case .bool(let value): [Sort.bool.rawValue, value ? 1 : 0]
        case .integer(let value): Self.key(of: value)
        case .number(let value): value.isFinite ? Self.key(of: value) : []
        case .time(let value): [Sort.time.rawValue] + Self.bytes(UInt64(bitPattern: value.milliseconds) ^ 1 << 63)
        case .text(let value): [Sort.text.rawValue] + Self.prefix(of: value)
        }
    }

    /// Reads a ``key``: a number is ``integer(_:)`` if it is whole and fits; `nil` when it is no value's key.
    package init?(key: some Collection<UInt8>) {
        guard let first = key.first, let sort = Sort(rawValue: first), key.count <= Self.maximumKey else { return nil }
        let rest = key.dropFirst()
        switch sort {
        case .bool: self = .bool(rest.first == 1)
        case .number: self = Self.number(rest)
        case .time: self = .time(WallTime(milliseconds: Int64(bitPattern: Self.bits(rest.prefix(8)) ^ 1 << 63)))
        case .text: self = .text(String(decoding: rest, as: UTF8.self))
        }
        // Nothing else is read than what is written.
        guard self.key.elementsEqual(key) else { return nil }
    }

    /// The double's bits, turned so that they sort as numbers do.
    private static func key(of number: Double) -> [UInt8] {
        let bits = (number == 0 ? 0 : number).bitPattern  // -0.0, too
        return [Sort.number.rawValue] + bytes(bits >> 63 == 1 ? ~bits : bits | 1 << 63)
    }

    /// The key of the largest double that is not above the number, then what is left, which only large numbers have: it is
    /// below 1024.
    private static func key(of integer: Int64) -> [UInt8] {
        var number = Double(integer)
        if Int64(exactly: number).map({ $0 > integer }) ?? true { number = number.nextDown }
        let rest = integer - Int64(number)
        return key(of: number) + (rest == 0 ? [] : [UInt8(rest >> 8), UInt8(rest & 0xFF)])
    }

    private static func number(_ key: some Collection<UInt8>) -> FactValue {
        let bits = bits(key.prefix(8))
        let number = Double(bitPattern: bits >> 63 == 1 ? bits & ~(1 << 63) : ~bits)
        guard let whole = Int64(exactly: number) else { return .number(number) }
        return .integer(whole.saturatingAdding(Int64(Self.bits(key.dropFirst(8).prefix(2)))))
    }

    private static func prefix(of text: String) -> [UInt8] {
        let bytes = text.utf8.prefix(maximumText + 1)
        guard bytes.count > maximumText else { return Array(bytes) }
        // By scalars, because the borders of characters differ between versions of Unicode.
        var cut = Array(bytes)
        while let last = cut.popLast(), last & 0b1100_0000 == 0b1000_0000 {}
        return cut
    }

    private static func bytes(_ bits: UInt64) -> [UInt8] {
        stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: bits >> UInt64($0)) }
    }

    private static func bits(_ bytes: some Collection<UInt8>) -> UInt64 {
        bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }
}
