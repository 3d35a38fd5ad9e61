import Foundation
import MobiusEngine
import MobiusWire
import Testing

/// `CronSchedule` against Foundation's calendar, which goes through the minutes one by one.
@Suite struct CronScheduleTests {
    private static let calendar: Foundation.Calendar = {
        var calendar = Foundation.Calendar(identifier: .gregorian)
        calendar.timeZone = TimeZone(identifier: "UTC") ?? .gmt
        return calendar
    }()

    private static func time(_ text: String) -> WallTime {
        let date = try? Date(text, strategy: .iso8601)
        return WallTime(milliseconds: Int64((date ?? .distantPast).timeIntervalSince1970 * 1000))
    }

    /// The numbers of each field, and whether it was `*`.
    private struct Fields {
        var sets: [Set<Int>] = []
        var isAny: [Bool] = []
        var text: [String] = []

        init(_ random: inout SplitMix64) {
            for range in [0...59, 0...23, 1...31, 1...12, 0...6] {
                switch Int.random(in: 0..<4, using: &random) {
                case 0:
                    add(Set(range), "*", isAny: true)
                case 1:
                    let step = Int.random(in: 2...5, using: &random)
                    add(
                        Set(stride(from: range.lowerBound, through: range.upperBound, by: step)), "*/\(step)",
                        isAny: true)
                case 2:
                    let low = Int.random(in: range, using: &random)
                    let high = Int.random(in: low...range.upperBound, using: &random)
                    add(Set(low...high), "\(low)-\(high)", isAny: false)
                default:
                    let numbers = (0..<3).map { _ in Int.random(in: range, using: &random) }
                    add(Set(numbers), numbers.map { "\($0)" }.joined(separator: ","), isAny: false)
                }
            }
        }

        private mutating func add(_ set: Set<Int>, _ words: String, isAny any: Bool) {
            sets.append(set)
            isAny.append(any)
            text.append(words)
        }

        func matches(day date: Date) -> Bool {
            let parts = CronScheduleTests.calendar.dateComponents([.month, .day, .weekday], from: date)
            let isDay = sets[2].contains(parts.day ?? 0)
            let isWeekday = sets[4].contains((parts.weekday ?? 1) - 1)
            return sets[3].contains(parts.month ?? 0)
                && (isAny[2] || isAny[4] ? isDay && isWeekday : isDay || isWeekday)
        }

        /// The first match after a time, among the next days.
        func next(after time: WallTime, days: Int) -> WallTime? {
            let minute = Int64((Double(time.milliseconds) / 60_000).rounded(.down)) + 1
            let start = Date(timeIntervalSince1970: Double(minute) * 60)
            var day = CronScheduleTests.calendar.startOfDay(for: start)
            for _ in 0..<days {
                if matches(day: day) {
                    for hour in sets[1].sorted() {
                        for minute in sets[0].sorted() {
                            let date = day.addingTimeInterval(Double(hour * 3600 + minute * 60))
                            if date >= start { return WallTime(milliseconds: Int64(date.timeIntervalSince1970 * 1000)) }
                        }
                    }
                }
                day = day.addingTimeInterval(86_400)
            }
            return nil
        }
    }

    @Test func itAgreesWithFoundation() {
        var random = SplitMix64(seed: 7)
        for _ in 0..<2000 {
            let fields = Fields(&random)
            let expression = fields.text.joined(separator: " ")
            guard let schedule = CronSchedule(expression) else { continue }
            let time = WallTime(milliseconds: Int64.random(in: -2_000_000_000_000...8_000_000_000_000, using: &random))
            guard let expected = fields.next(after: time, days: 400) else { continue }
            #expect(schedule.next(after: time) == expected, "\(expression) after \(time.milliseconds)")
            #expect(schedule.latest(upTo: expected) == expected)
            #expect(schedule.latest(upTo: expected + .milliseconds(59_999)) == expected)
            #expect(
                schedule.latest(upTo: WallTime(milliseconds: expected.milliseconds - 1)) ?? time <= time + .seconds(60))
        }
    }

    @Test(arguments: [
        ("0 0 29 2 *", "2096-03-01T00:00:00Z", "2104-02-29T00:00:00Z"),
        ("0 0 29 2 */6", "2032-03-01T00:00:00Z", "2048-02-29T00:00:00Z"),
        ("30 4 1,15 * 5", "2026-11-21T00:00:00Z", "2026-11-27T04:30:00Z"),
        ("0 12 * jan-mar MON", "2026-11-21T00:00:00Z", "2027-01-04T12:00:00Z"),
        ("*/15 8-18/2 * * 1-5", "2026-11-20T18:45:00Z", "2026-11-23T08:00:00Z"),
        ("@yearly", "2026-01-01T00:00:00Z", "2027-01-01T00:00:00Z"),
        ("0 0 * * 7", "2026-11-21T00:00:00Z", "2026-11-22T00:00:00Z"),
        ("59 23 31 12 *", "1969-12-31T23:58:59Z", "1969-12-31T23:59:00Z"),
    ])
    func specialDays(expression: String, after: String, next: String) {
        #expect(CronSchedule(expression)?.next(after: Self.time(after)) == Self.time(next))
    }

    @Test(arguments: [
        "", "* * * *", "* * * * * *", "60 * * * *", "* 24 * * *", "* * 0 * *", "* * 32 * *", "* * * 13 *", "* * * * 8",
        "+5 * * * *", "*/0 * * * *", "*/+5 * * * *", "5-1 * * * *", "1-2-3 * * * *", "1,,2 * * * *", "a * * * *",
        "0 0 30 2 *", "0 0 31 4,6,9,11 *", "@reboot", "* * jan * *", "-1 * * * *", "1/2/3 * * * *", "*5 * * * *",
        "5/9223372036854775807 * * * *",
    ])
    func nonsenseIsRefused(expression: String) {
        #expect(CronSchedule(expression) == nil)
    }

    @Test func theEndOfTheCalendar() {
        let schedule = CronSchedule("* * * * *")
        #expect(schedule?.next(after: WallTime(milliseconds: .max)) == nil)
        #expect(schedule?.latest(upTo: WallTime(milliseconds: .min)) == nil)
    }
}
