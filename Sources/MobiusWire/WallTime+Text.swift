extension WallTime: TextCoded {
    /// The time in UTC as ISO 8601 (RFC 3339), to the millisecond: `2026-03-01T12:00:00.250Z`.
    ///
    /// Years that do not have four digits have a sign and as many digits as they need.
    package var text: String {
        let (day, ofDay) = Self.parts(milliseconds, of: Self.day)
        // Civil dates from days (H. Hinnant, "chrono-Compatible Low-Level Date Algorithms"): eras of 400 years that begin in March.
        let (era, ofEra) = Self.parts(day + 719_468, of: 146_097)
        let yearOfEra = (ofEra - ofEra / 1460 + ofEra / 36_524 - ofEra / 146_096) / 365
        let dayOfYear = ofEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        let year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
        let date =
            "\(Self.yearText(year))-\(Self.digits(month, 2))-\(Self.digits(dayOfYear - (153 * shifted + 2) / 5 + 1, 2))"
        let seconds = ofDay / 1000
        let time = [seconds / 3600, seconds / 60 % 60, seconds % 60].map { Self.digits($0, 2) }.joined(separator: ":")
        return "\(date)T\(time).\(Self.digits(ofDay % 1000, 3))Z"
    }

    /// Reads what ``text`` writes.
    package init?(text: String) {
        var rest = Substring(text)
        let isSigned = rest.first == "+" || rest.first == "-"
        let sign: Int64 = rest.first == "-" ? -1 : 1
        if isSigned { rest.removeFirst() }
        let fields = rest.split(whereSeparator: { "-T:.Z".contains($0) }).map { Int64($0) ?? -1 }
        guard fields.count == 7, case let year = sign * fields[0], abs(year) < 300_000_000, 1...12 ~= fields[1],
            1...31 ~= fields[2], 0..<24 ~= fields[3], 0..<60 ~= fields[4], 0..<60 ~= fields[5], 0..<1000 ~= fields[6]
        else { return nil }
        let marchYear = fields[1] <= 2 ? year - 1 : year
        let (era, yearOfEra) = Self.parts(marchYear, of: 400)
        let month = fields[1] > 2 ? fields[1] - 3 : fields[1] + 9
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + (153 * month + 2) / 5 + fields[2] - 1
        let seconds = fields[3] * 3600 + fields[4] * 60 + fields[5]
        let day = Int128(era * 146_097 + dayOfEra - 719_468)
        guard let milliseconds = Int64(exactly: day * Int128(Self.day) + Int128(seconds * 1000 + fields[6])) else {
            return nil
        }
        self.init(milliseconds: milliseconds)
        // Nothing else is read than what is written.
        guard self.text == text else { return nil }
    }

    private static let day: Int64 = 86_400_000

    /// The quotient rounded down, and the rest, which is never negative.
    private static func parts(_ number: Int64, of size: Int64) -> (whole: Int64, rest: Int64) {
        let (whole, rest) = number.quotientAndRemainder(dividingBy: size)
        return rest < 0 ? (whole - 1, rest + size) : (whole, rest)
    }

    private static func yearText(_ year: Int64) -> String {
        if 0...9999 ~= year { return digits(year, 4) }
        return (year < 0 ? "-" : "+") + digits(abs(year), 6)
    }

    private static func digits(_ number: Int64, _ count: Int) -> String {
        let text = "\(number)"
        return String(repeating: "0", count: max(0, count - text.count)) + text
    }
}
