public import MobiusWire

/// Calendar times in crontab(5) syntax: `minute hour day-of-month month day-of-week`, in UTC.
///
/// Each field is `*`, a number, a range `1-5`, either with a step (`*/15`, `8-18/2`), or several of these with commas.
/// Months and days of the week may be named by their first three letters; Sunday is 0 or 7. If both days are
/// restricted, either match suffices. `@yearly`, `@monthly`, `@weekly`, `@daily` and `@hourly` are supported.
///
/// Source: POSIX.1-2024, crontab; steps and names as in common cron implementations.
public struct CronSchedule: Hashable, Sendable, CustomStringConvertible {
    /// The expression's text.
    public let description: String
    // Bit n represents the number n.
    private let minutes: UInt64
    private let hours: UInt64
    private let days: UInt64
    private let months: UInt64
    private let weekdays: UInt64
    private let eitherDay: Bool

    /// Parses an expression; `nil` if it is invalid, or matches no existing day.
    public init?(_ expression: String) {
        description = expression
        let named = Self.shorthands[expression.lowercased()] ?? expression
        let fields = named.lowercased().split(whereSeparator: \.isWhitespace)
        guard fields.count == 5, let minutes = CronField(fields[0], 0...59), let hours = CronField(fields[1], 0...23),
            let days = CronField(fields[2], 1...31), let months = CronField(fields[3], 1...12, names: Self.monthNames),
            let weekdays = CronField(fields[4], 0...7, names: Self.weekdayNames)
        else { return nil }
        self.minutes = minutes.bits
        self.hours = hours.bits
        self.days = days.bits
        self.months = months.bits
        self.weekdays = weekdays.bits | (weekdays.bits >> 7 & 1)
        eitherDay = !days.isAny && !weekdays.isAny
        guard next(after: WallTime(milliseconds: 0)) != nil else { return nil }
    }

    /// The first of its times after `time`; `nil` at the end of the calendar.
    public func next(after time: WallTime) -> WallTime? {
        find(from: Self.minute(of: time) + 1, forward: true)
    }

    /// The last of its times up to `time`; `nil` if there was none in the preceding years.
    package func latest(upTo time: WallTime) -> WallTime? {
        find(from: Self.minute(of: time), forward: false)
    }

    private func find(from start: Int64, forward: Bool) -> WallTime? {
        var minute = start
        // Leap days on a given day of the week are at most forty years apart.
        let limit = Int64(41 * 366 * 1440)
        while abs(minute - start) <= limit, (-1_000_000_000...150_000_000_000).contains(minute) {
            let day = Int64(minute.dividedFloor(by: 1440))
            let date = CivilDate(day: day)
            let ofDay = minute - day * 1440
            if months >> UInt64(date.month) & 1 == 0 {
                minute = forward ? (day + date.daysLeft + 1) * 1440 : (day - Int64(date.day)) * 1440 + 1439
            } else if !matches(date, weekday: (day + 4).remainderFloor(by: 7)) {
                minute = forward ? (day + 1) * 1440 : day * 1440 - 1
            } else if hours >> UInt64(ofDay / 60) & 1 == 0 {
                minute = forward ? day * 1440 + (ofDay / 60 + 1) * 60 : day * 1440 + ofDay / 60 * 60 - 1
            } else if minutes >> UInt64(ofDay % 60) & 1 == 0 {
                minute += forward ? 1 : -1
            } else {
                return WallTime(milliseconds: minute * 60_000)
            }
        }
        return nil
    }

    private func matches(_ date: CivilDate, weekday: Int64) -> Bool {
        let isDay = days >> UInt64(date.day) & 1 == 1
        let isWeekday = weekdays >> UInt64(weekday) & 1 == 1
        return eitherDay ? isDay || isWeekday : isDay && isWeekday
    }

    private static func minute(of time: WallTime) -> Int64 { time.milliseconds.dividedFloor(by: 60_000) }

    private static let shorthands = [
        "@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *", "@monthly": "0 0 1 * *", "@weekly": "0 0 * * 0",
        "@daily": "0 0 * * *", "@midnight": "0 0 * * *", "@hourly": "0 * * * *",
    ]
    private static let monthNames = [
        "jan": 1, "feb": 2, "mar": 3, "apr": 4, "may": 5, "jun": 6, "jul": 7, "aug": 8, "sep": 9, "oct": 10, "nov": 11,
        "dec": 12,
    ]
    private static let weekdayNames = ["sun": 0, "mon": 1, "tue": 2, "wed": 3, "thu": 4, "fri": 5, "sat": 6]
}

/// One field of an expression, as a set of numbers.
private struct CronField {
    var bits: UInt64 = 0
    /// Whether it begins with `*`, which restricts nothing by itself.
    let isAny: Bool

    init?(_ text: Substring, _ range: ClosedRange<Int>, names: [String: Int] = [:]) {
        isAny = text.first == "*"
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let stepped = part.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
            guard let first = stepped.first, let span = Self.span(first, range, names, isStepped: stepped.count == 2)
            else { return nil }
            var step = 1
            if stepped.count == 2 {
                guard let number = Self.number(stepped[1]), number >= 1 else { return nil }
                step = number
            }
            for number in stride(from: span.lowerBound, through: span.upperBound, by: step) {
                bits |= 1 << UInt64(number)
            }
        }
    }

    /// Digits only: a sign is invalid.
    private static func number(_ text: Substring) -> Int? {
        text.utf8.allSatisfy { (48...57).contains($0) } && text.utf8.count <= 4 ? Int(text) : nil
    }

    private static func span(
        _ text: Substring, _ range: ClosedRange<Int>, _ names: [String: Int], isStepped: Bool
    ) -> ClosedRange<Int>? {
        if text == "*" { return range }
        let ends = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        let numbers = ends.compactMap { names[String($0)] ?? number($0) }
        guard numbers.count == ends.count, numbers.allSatisfy(range.contains), let low = numbers.first else {
            return nil
        }
        guard numbers.count == 2 else { return isStepped ? low...range.upperBound : low...low }
        return low <= numbers[1] ? low...numbers[1] : nil
    }
}

/// A day of the Gregorian calendar, from the number of days since 1970.
///
/// Source: H. Hinnant, "chrono-Compatible Low-Level Date Algorithms" (2021), civil_from_days.
struct CivilDate {
    let year: Int64
    let month: Int
    let day: Int

    init(day number: Int64) {
        let shifted = number + 719_468  // days since 0000-03-01
        let era = shifted.dividedFloor(by: 146_097)
        let ofEra = shifted - era * 146_097
        let yearOfEra = (ofEra - ofEra / 1460 + ofEra / 36_524 - ofEra / 146_096) / 365
        let ofYear = ofEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * ofYear + 2) / 153
        day = Int(ofYear - (153 * shiftedMonth + 2) / 5 + 1)
        month = Int(shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9)
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// The number of days left in its month.
    var daysLeft: Int64 {
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
        return Int64(days - day)
    }
}

extension Int64 {
    func dividedFloor(by divisor: Int64) -> Int64 {
        let quotient = self / divisor
        return self % divisor < 0 ? quotient - 1 : quotient
    }

    func remainderFloor(by divisor: Int64) -> Int64 { self - dividedFloor(by: divisor) * divisor }
}
