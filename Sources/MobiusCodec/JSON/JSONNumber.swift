/// Numbers as JSON writes them (RFC 8259, section 6).
enum JSONNumber {
    /// A number's parts, which say whether it is one.
    struct Parts {
        var isNegative = false
        /// The first digits, without a point; meaningless when there are more than 19.
        var digits: UInt64 = 0
        var digitCount = 0
        /// The power of ten that the digits are to be multiplied with.
        var exponent = 0
        var isInteger = true

        init?(_ text: UnsafeBufferPointer<UInt8>) {
            var at = 0
            if text.first == UInt8(ascii: "-") {
                isNegative = true
                at = 1
            }
            let leading = at
            consumeDigits(text, &at, scale: 0)
            guard at > leading, at == leading + 1 || text[leading] != UInt8(ascii: "0") else { return nil }
            if at < text.count, text[at] == UInt8(ascii: ".") {
                isInteger = false
                at += 1
                let fraction = at
                consumeDigits(text, &at, scale: -1)
                guard at > fraction else { return nil }
            }
            if at < text.count, text[at] | 0x20 == UInt8(ascii: "e") {
                isInteger = false
                at += 1
                guard consumeExponent(text, &at) else { return nil }
            }
            guard at == text.count else { return nil }
        }

        private mutating func consumeDigits(_ text: UnsafeBufferPointer<UInt8>, _ at: inout Int, scale: Int) {
            while at < text.count, case let digit = text[at] &- UInt8(ascii: "0"), digit < 10 {
                digits = digits &* 10 &+ UInt64(digit)
                // Zeros in front do not count: 0.001 has one digit.
                if digitCount > 0 || digit > 0 { digitCount += 1 }
                exponent += scale
                at += 1
            }
        }

        private mutating func consumeExponent(_ text: UnsafeBufferPointer<UInt8>, _ at: inout Int) -> Bool {
            var isNegative = false
            if at < text.count, text[at] == UInt8(ascii: "-") || text[at] == UInt8(ascii: "+") {
                isNegative = text[at] == UInt8(ascii: "-")
                at += 1
            }
            let start = at
            var value = 0
            while at < text.count, case let digit = text[at] &- UInt8(ascii: "0"), digit < 10 {
                if value < 100_000 { value = value * 10 + Int(digit) }
                at += 1
            }
            exponent += isNegative ? -value : value
            return at > start
        }
    }

    /// The integer that the text denotes, also as `1.0` or `1e2`; `nil` when it is none, or does not fit.
    static func integer<Integer: FixedWidthInteger>(_ text: UnsafeBufferPointer<UInt8>, as type: Integer.Type)
        -> Integer?
    {
        if let short = shortInteger(text) { return Integer(exactly: short) }
        guard let parts = Parts(text) else { return nil }
        if parts.isInteger {
            guard parts.digitCount <= 19 else { return Integer(String(decoding: text, as: UTF8.self)) }
            guard parts.isNegative else { return Integer(exactly: parts.digits) }
            if parts.digits <= Int64.min.magnitude {
                return Integer(exactly: Int64(truncatingIfNeeded: 0 &- parts.digits))
            }
            return Integer(exactly: -Int128(parts.digits))
        }
        return exactInteger(text, exponent: parts.exponent)
    }

    /// An integer of at most 18 digits and nothing else, as nearly all are.
    @inline(__always)
    private static func shortInteger(_ text: UnsafeBufferPointer<UInt8>) -> Int64? {
        guard let base = text.baseAddress, text.count <= 18 else { return nil }
        var at = base[0] == UInt8(ascii: "-") ? 1 : 0
        let isNegative = at == 1
        // Anything that does not begin with 1...9 is for the others to judge.
        guard at < text.count, base[at] &- UInt8(ascii: "1") < 9 else { return nil }
        var value: Int64 = 0
        while at < text.count {
            let digit = base[at] &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            value = value &* 10 &+ Int64(digit)
            at += 1
        }
        return isNegative ? -value : value
    }

    /// An integer with a fraction or an exponent: digit by digit, since a double does not hold all of them.
    private static func exactInteger<Integer: FixedWidthInteger>(
        _ text: UnsafeBufferPointer<UInt8>, exponent: Int
    ) -> Integer? {
        var digits = text.prefix { $0 | 0x20 != UInt8(ascii: "e") }.filter { $0 != UInt8(ascii: ".") }
        let isZero = digits.allSatisfy { $0 == UInt8(ascii: "0") || $0 == UInt8(ascii: "-") }
        if isZero { return 0 }
        guard abs(exponent) <= digits.count + 40 else { return nil }  // more than any integer has
        for _ in 0..<max(0, -exponent) {
            guard digits.popLast() == UInt8(ascii: "0") else { return nil }
        }
        if exponent > 0 { digits.append(contentsOf: repeatElement(UInt8(ascii: "0"), count: exponent)) }
        return Integer(String(decoding: digits, as: UTF8.self))
    }

    /// The nearest double; `nil` when the text is no number, or one beyond all doubles.
    static func double(_ text: UnsafeBufferPointer<UInt8>) -> Double? {
        guard let parts = Parts(text) else { return nil }
        // Both factors are exact, so their product or quotient is the nearest (Clinger 1990).
        if parts.digitCount <= 15, abs(parts.exponent) <= 22 {
            let digits = Double(parts.isNegative ? -Int64(parts.digits) : Int64(parts.digits))
            if parts.isNegative, parts.digits == 0 { return -0.0 }
            return parts.exponent < 0 ? digits / powers[-parts.exponent] : digits * powers[parts.exponent]
        }
        if let nearest = parts.nearest(bits: 53) { return nearest }
        return finite(Double(String(decoding: text, as: UTF8.self)), isZero: parts.digitCount == 0)
    }

    /// The nearest float; `nil` when the text is no number, or one beyond all floats.
    static func float(_ text: UnsafeBufferPointer<UInt8>) -> Float? {
        guard let parts = Parts(text) else { return nil }
        if let nearest = parts.nearest(bits: 24) { return finite(Float(nearest), isZero: false) }
        return finite(Float(String(decoding: text, as: UTF8.self)), isZero: parts.digitCount == 0)
    }

    static func isValid(_ text: UnsafeBufferPointer<UInt8>) -> Bool { Parts(text) != nil }

    /// Returns the value; `nil`, an error as in Foundation's decoder, if it is too large or too small for the type.
    private static func finite<Value: BinaryFloatingPoint>(_ value: Value?, isZero: Bool) -> Value? {
        guard let value, value.isFinite, !value.isZero || isZero else { return nil }
        return value
    }

    private static let powers: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20, 1e21, 1e22,
    ]
}
