import Foundation

// Dates: seconds since 1970 (tag 1), if these are exact. A `Date` counts from 2001 and so distinguishes moments that
// are equal as seconds since 1970 in a double; those are written as extended time (tag 1001, RFC 9581), a bigfloat.
extension OutputBytes {
    mutating func appendBinary(_ date: Date) {
        let reference = date.timeIntervalSinceReferenceDate
        let epoch = reference + Date.timeIntervalBetween1970AndReferenceDate
        if epoch - Date.timeIntervalBetween1970AndReferenceDate == reference || reference.isNaN {
            appendHead(.tag, CBORTag.epoch.number)
            if let seconds = Int64(exactly: epoch) { appendBinary(seconds) } else { appendBinary(epoch) }
        } else if let (exponent, mantissa) = CBORDate.bigfloat(since2001: reference) {
            appendHead(.tag, CBORTag.extendedTime.number)
            appendHead(.map, 1)
            appendHead(.unsigned, CBORDate.bigfloatKey)
            appendHead(.array, 2)
            appendBinary(exponent)
            appendBinary(mantissa)
        } else {
            appendBinary(reference)
        }
    }
}

/// Dates as exact numbers.
enum CBORDate {
    /// The keys of extended time for an integer or double, a decimal fraction, and a bigfloat.
    static let secondsKey: UInt64 = 1
    static let bigfloatKey: UInt64 = 5

    /// From 1970 to 2001, in seconds.
    private static let between = Int128(Date.timeIntervalBetween1970AndReferenceDate)
    /// So far a bit may lie below one that 128 bits hold them all.
    private static let deepest = 96

    /// The seconds since 1970 as `mantissa * 2^exponent`, exactly; `nil` for moments so near to 2001 that this would be long.
    static func bigfloat(since2001 reference: Double) -> (exponent: Int, mantissa: Int128)? {
        let exponent = Int(reference.exponent) - Double.significandBitCount
        guard reference.isFinite, (-deepest..<0).contains(exponent) else { return nil }
        let digits = Int128(
            Double(sign: reference.sign, exponent: Double.significandBitCount, significand: reference.significand))
        let mantissa = digits + between << -exponent
        let zeros = mantissa.trailingZeroBitCount
        return (exponent + zeros, mantissa >> zeros)
    }

    /// The date of such a number, or the nearest one.
    static func date(exponent: Int, mantissa: Int128) -> Date {
        if (-deepest...0).contains(exponent) {
            let (reference, overflows) = mantissa.subtractingReportingOverflow(between << -exponent)
            if !overflows { return Date(timeIntervalSinceReferenceDate: scale(Double(reference), by: exponent)) }
        }
        return Date(timeIntervalSince1970: scale(Double(mantissa), by: exponent))
    }

    private static func scale(_ number: Double, by exponent: Int) -> Double {
        // In two steps, because the intermediate value may exceed all doubles.
        let half = max(-4000, min(4000, exponent)) / 2
        let rest = max(-4000, min(4000, exponent)) - half
        return scalbn(scalbn(number, half), rest)
    }
}

extension DecodingMachine {
    /// A date by its tag; without one it is its seconds since 2001, as it is in JSON.
    func binaryDate(_ place: Int) throws -> Date {
        let node = node(place)
        switch node.tag {
        case .epoch:
            return Date(timeIntervalSince1970: try binaryDouble(place))
        case .extendedTime:
            guard node.kind == .object else { throw mismatch(Date.self, at: place) }
            return try extendedTime(place)
        case .dateText:
            guard let date = CBORDate.date(rfc3339: try string(place)) else {
                throw corrupted("its text is no date", at: place)
            }
            return date
        case .several: throw mismatch(Date.self, at: place)
        default: return Date(timeIntervalSinceReferenceDate: try binaryDouble(place))
        }
    }

    /// Extended time that is one number: parts of a second, clocks and time scales are not supported.
    private func extendedTime(_ place: Int) throws -> Date {
        let key = place + 1
        guard node(place).length == 1, node(key).kind == .unsigned else { throw strangeTime(place) }
        switch node(key).argument {
        case CBORDate.secondsKey: return Date(timeIntervalSince1970: try binaryDouble(key + 1))
        case CBORDate.bigfloatKey:
            let array = node(key + 1)
            guard array.kind == .array, array.length == 2,
                let wide = wide(node(Int(node(key + 2).next))), let magnitude = Int128(exactly: wide.magnitude)
            else { throw strangeTime(place) }
            let exponent = try binaryInteger(key + 2, as: Int.self)
            return CBORDate.date(exponent: exponent, mantissa: wide.isNegative ? ~magnitude : magnitude)
        default: throw strangeTime(place)
        }
    }

    private func strangeTime(_ place: Int) -> DecodingError {
        corrupted("it is an extended time of an unknown kind", at: place)
    }
}
