/// A value of a query that stands without quotes.
struct FactLiteral {
    let word: String
    let time: WallTime

    /// Reads the value; `failure` makes an error of a sentence.
    func value(failure: (String) -> FactQueryError) throws(FactQueryError) -> FactValue {
        let small = word.lowercased()
        if small == "true" || small == "false" { return .bool(small == "true") }
        if small == "now" { return .time(time) }
        if small.hasPrefix("now+") || small.hasPrefix("now-") {
            guard let moved = moved(by: small.dropFirst(3)) else {
                throw failure("A time from now is such as now+2h or now-30m, in s, m, h or d.")
            }
            return .time(moved)
        }
        guard let first = word.utf8.first, FactName.isDigit(first) || "+-.".utf8.contains(first) else {
            return .text(word)
        }
        if let number = Int64(word) { return .integer(number) }
        if word.utf8.allSatisfy({ FactName.isDigit($0) || "+-.eE".utf8.contains($0) }), let number = Double(word) {
            guard number.isFinite else { throw failure("This number is too large: doubles end at 1.8e308.") }
            return .number(number)
        }
        if let time = Self.time(word) { return .time(time) }
        throw failure(
            "\(FactQueryError.quoted(word)) is neither a number nor a time such as 2026-12-01 or 2026-12-01T10:00Z: "
                + "put a text in quotes.")
    }

    private func moved(by text: Substring) -> WallTime? {
        let units: [Character: Int64] = ["s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000]
        guard let unit = text.last.flatMap({ units[$0] }), let count = Int64(text.dropLast()) else { return nil }
        let (milliseconds, overflow) = count.multipliedReportingOverflow(by: unit)
        return overflow ? nil : WallTime(milliseconds: time.milliseconds.saturatingAdding(milliseconds))
    }

    /// Reads a date, at its midnight, or a time to the minute, second or millisecond; in UTC.
    private static func time(_ text: String) -> WallTime? {
        guard text.contains("T") else { return WallTime(text: text + "T00:00:00.000Z") }
        guard text.hasSuffix("Z") else { return nil }
        // WallTime reads one form only: whichever of these is complete.
        let start = text.dropLast()
        return [":00.000Z", ".000Z", "00Z", "0Z", "Z"].lazy.compactMap { WallTime(text: start + $0) }.first
    }
}
