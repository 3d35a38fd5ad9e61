import Foundation

// Dates as text (RFC 3339), which other encoders write (tag 0).
extension CBORDate {
    /// The date of a text such as `2013-03-21T20:04:00.5+01:00`.
    static func date(rfc3339 text: String) -> Date? {
        var rest = text.utf8[...]
        guard let year = number(4, &rest), take("-", &rest), let month = number(2, &rest), take("-", &rest),
            let day = number(2, &rest), take("Tt ", &rest), let hour = number(2, &rest), take(":", &rest),
            let minute = number(2, &rest), take(":", &rest), let second = number(2, &rest)
        else { return nil }
        guard (1...12).contains(month), (1...days(in: month, of: year)).contains(day), hour < 24, minute < 60,
            second <= 60
        else { return nil }
        var fraction = 0.0
        if take(".", &rest) {
            let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            guard !digits.isEmpty, let parsed = Double("0." + String(decoding: digits, as: UTF8.self)) else {
                return nil
            }
            fraction = parsed
            rest = rest.dropFirst(digits.count)
        }
        guard let offset = offset(&rest), rest.isEmpty else { return nil }
        let seconds = daysSince2001(year, month, day) * 86400 + hour * 3600 + minute * 60 + second - offset
        return Date(timeIntervalSinceReferenceDate: Double(seconds) + fraction)
    }

    /// A date as such a text, in microseconds; `nil` before the year 0 and after 9999.
    static func rfc3339(_ date: Date) -> String? {
        let microseconds = (date.timeIntervalSinceReferenceDate * 1e6).rounded()
        guard microseconds.magnitude < 1e18 else { return nil }
        let (days, time) = divided(Int(microseconds), by: 86_400_000_000)
        guard let (year, month, day) = civil(days) else { return nil }
        let (seconds, fraction) = divided(time, by: 1_000_000)
        var text = "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))T\(padded(seconds / 3600, 2)):"
        text += "\(padded(seconds / 60 % 60, 2)):\(padded(seconds % 60, 2))"
        if fraction != 0 {
            var digits = padded(fraction, 6)
            while digits.last == "0" { digits.removeLast() }
            text += "." + digits
        }
        return text + "Z"
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = "\(number)"
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }

    /// The quotient that is rounded down, and what remains.
    private static func divided(_ number: Int, by divisor: Int) -> (Int, Int) {
        let rest = number % divisor
        return rest < 0 ? (number / divisor - 1, rest + divisor) : (number / divisor, rest)
    }

    /// The day of the calendar, if its year has four digits.
    private static func civil(_ days: Int) -> (year: Int, month: Int, day: Int)? {
        var year = 2001 + divided(days, by: 365).0
        guard (-10...10_010).contains(year) else { return nil }
        while daysSince2001(year, 1, 1) > days { year -= 1 }
        while daysSince2001(year + 1, 1, 1) <= days { year += 1 }
        guard (0...9999).contains(year) else { return nil }
        var rest = days - daysSince2001(year, 1, 1)
        var month = 1
        while rest >= self.days(in: month, of: year) {
            rest -= self.days(in: month, of: year)
            month += 1
        }
        return (year, month, rest + 1)
    }

    private static func offset(_ rest: inout Substring.UTF8View) -> Int? {
        if take("Zz", &rest) { return 0 }
        let isWest = rest.first == UInt8(ascii: "-")
        guard take("+-", &rest), let hours = number(2, &rest), take(":", &rest), let minutes = number(2, &rest),
            hours < 24, minutes < 60
        else { return nil }
        return (isWest ? -1 : 1) * (hours * 3600 + minutes * 60)
    }

    private static func number(_ digits: Int, _ rest: inout Substring.UTF8View) -> Int? {
        let text = rest.prefix(digits)
        guard text.count == digits, text.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
            return nil
        }
        rest = rest.dropFirst(digits)
        return text.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    private static func take(_ any: String, _ rest: inout Substring.UTF8View) -> Bool {
        guard let first = rest.first, any.utf8.contains(first) else { return false }
        rest = rest.dropFirst()
        return true
    }

    private static func isLeap(_ year: Int) -> Bool {
        year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
    }

    private static func days(in month: Int, of year: Int) -> Int {
        switch month {
        case 2: isLeap(year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Days of the Gregorian calendar, which is taken to reach back to the year 0.
    private static func daysSince2001(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let before = year + 1999  // years since the year -1999, which are as many leap years as since 1
        let years = before * 365 + before / 4 - before / 100 + before / 400
        let months = (1..<month).reduce(0) { $0 + days(in: $1, of: year) }
        return years + months + day - 1 - sinceThen
    }

    /// From the first day of the year -1999 to the first of 2001.
    private static let sinceThen = 4000 * 365 + 1000 - 40 + 10
}
