import Foundation

// Dates as text (RFC 3339), which others write (tag 0).
extension CBORDate {
    /// The date that a text such as `2013-03-21T20:04:00.5+01:00` says.
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
