import Foundation

// Decimals: decimal fractions (tag 4), an exponent of ten and a mantissa without zeros at its end.
extension OutputBytes {
    mutating func appendBinary(_ decimal: Decimal) {
        guard !decimal.isNaN else { return appendBinary(Double.nan) }
        let (exponent, mantissa, isNegative) = CBORDecimal.parts(of: decimal)
        appendHead(.tag, CBORTag.decimal.number)
        appendHead(.array, 2)
        appendBinary(exponent)
        if isNegative {
            appendBignum(mantissa - 1, isNegative: true)
        } else {
            appendBignum(mantissa, isNegative: false)
        }
    }
}

/// Decimals as exact numbers.
enum CBORDecimal {
    /// A decimal is `mantissa * 10^exponent`; equal ones have equal parts.
    static func parts(of decimal: Decimal) -> (exponent: Int, mantissa: UInt128, isNegative: Bool) {
        var digits = Array(decimal.description.utf8)
        let isNegative = digits.first == UInt8(ascii: "-")
        if isNegative { digits.removeFirst() }
        var exponent = 0
        if let point = digits.firstIndex(of: UInt8(ascii: ".")) {
            exponent = point + 1 - digits.count
            digits.remove(at: point)
        }
        while digits.last == UInt8(ascii: "0") {
            digits.removeLast()
            exponent += 1
        }
        let mantissa = digits.reduce(0 as UInt128) { $0 * 10 + UInt128($1 - UInt8(ascii: "0")) }
        return mantissa == 0 ? (0, 0, false) : (exponent, mantissa, isNegative)
    }

    /// The decimal of a number that is one exactly.
    static func decimal(exponent: Int, mantissa: UInt128, isNegative: Bool) -> Decimal? {
        var (exponent, mantissa) = (exponent, mantissa)
        while mantissa != 0, mantissa.isMultiple(of: 10) {
            mantissa /= 10
            guard exponent < Int.max else { return nil }
            exponent += 1
        }
        if mantissa == 0 { return 0 }
        // Zeros at the end, as many as there is room for, reach somewhat larger numbers.
        while exponent > 127, let (product, overflows) = Optional(mantissa.multipliedReportingOverflow(by: 10)),
            !overflows
        {
            mantissa = product
            exponent -= 1
        }
        guard (-128...127).contains(exponent), let digits = Decimal(string: "\(mantissa)") else { return nil }
        let decimal = Decimal(sign: isNegative ? .minus : .plus, exponent: exponent, significand: digits)
        guard !decimal.isNaN, parts(of: decimal) == normal(exponent, mantissa, isNegative) else { return nil }
        return decimal
    }

    private static func normal(
        _ exponent: Int, _ mantissa: UInt128, _ isNegative: Bool
    ) -> (exponent: Int, mantissa: UInt128, isNegative: Bool) {
        var (exponent, mantissa) = (exponent, mantissa)
        while mantissa.isMultiple(of: 10) {
            mantissa /= 10
            exponent += 1
        }
        return (exponent, mantissa, isNegative)
    }
}

extension DecodingMachine {
    /// A decimal: a decimal fraction, an integer, or what a floating-point number is written as in decimal.
    func binaryDecimal(_ place: Int) throws -> Decimal {
        let node = node(place)
        let decimal: Decimal?
        switch node.kind {
        case .array where node.tag == .decimal: decimal = try decimalFraction(place)
        case .float:
            let number = Double(bitPattern: node.argument)
            decimal = number.isNaN ? .nan : number.isFinite ? Decimal(string: number.description) : nil
        default:
            guard node.isInteger else { throw mismatch(Decimal.self, at: place) }
            decimal = self.decimal(of: node, exponent: 0)
        }
        guard let decimal else { throw unfit(Decimal.self, at: place) }
        return decimal
    }

    private func decimalFraction(_ place: Int) throws -> Decimal? {
        guard node(place).length == 2 else { throw corrupted("a decimal fraction has two parts", at: place) }
        let exponent = try binaryInteger(place + 1, as: Int.self)
        let mantissa = node(Int(node(place + 1).next))
        guard mantissa.isInteger else { throw mismatch(Decimal.self, at: Int(node(place + 1).next)) }
        return decimal(of: mantissa, exponent: exponent)
    }

    private func decimal(of node: Node, exponent: Int) -> Decimal? {
        guard let wide = wide(node) else { return nil }
        guard wide.isNegative else {
            return CBORDecimal.decimal(exponent: exponent, mantissa: wide.magnitude, isNegative: false)
        }
        let (magnitude, overflows) = wide.magnitude.addingReportingOverflow(1)
        return overflows ? nil : CBORDecimal.decimal(exponent: exponent, mantissa: magnitude, isNegative: true)
    }
}
