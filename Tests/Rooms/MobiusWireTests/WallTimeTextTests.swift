import Foundation
import MobiusWire
import TestTraits
import Testing

@Suite("Times as text", .ownThread)
struct WallTimeTextTests {
    @Test("as Foundation writes them, in the years that it writes so")
    func foundation() {
        var generator = SeededGenerator(state: 7)
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        // From 1583 to 9999: before, Foundation counts by the Julian calendar.
        for _ in 0..<20_000 {
            let seconds = Int64(generator.number(upTo: 265_000_000_000)) - 12_212_553_600
            let time = WallTime(milliseconds: min(seconds, 253_402_300_799) * 1000 + 250)
            #expect(time.text == Date(timeIntervalSince1970: Double(time.milliseconds) / 1000).formatted(style))
        }
    }

    @Test(
        "known times",
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"), (4_107_542_399_999, "2100-02-28T23:59:59.999Z"),
            (-62_167_219_200_000, "0000-01-01T00:00:00.000Z"), (253_402_300_800_000, "+010000-01-01T00:00:00.000Z"),
            (-62_167_219_200_001, "-000001-12-31T23:59:59.999Z"), (.max, "+292278994-08-17T07:12:55.807Z"),
            (.min, "-292275055-05-16T16:47:04.192Z"),
        ] as [(Int64, String)])
    func known(milliseconds: Int64, text: String) {
        #expect(WallTime(milliseconds: milliseconds).text == text)
        #expect(WallTime(text: text) == WallTime(milliseconds: milliseconds))
    }

    @Test("every time is read as it was written")
    func roundTrip() {
        var generator = SeededGenerator(state: 8)
        for _ in 0..<20_000 {
            let time = WallTime(milliseconds: Int64(bitPattern: generator.integer()))
            #expect(WallTime(text: time.text) == time)
        }
    }

    @Test(
        "nothing else is read",
        arguments: [
            "", "Z", "2026-03-01", "2026-03-01T12:00:00Z", "2026-02-29T00:00:00.000Z", "2026-13-01T00:00:00.000Z",
            "2026-03-01T24:00:00.000Z", "2026-03-01T12:00:60.000Z", "2026-03-01 12:00:00.000Z",
            "2026-03-01T12:00:00.000",
            "02026-03-01T12:00:00.000Z", "+2026-03-01T12:00:00.000Z", "2026-3-1T12:00:00.000Z",
            "+292278994-08-17T07:12:55.808Z", "-292275055-05-16T16:47:04.191Z", "+999999999999-01-01T00:00:00.000Z",
            "2026-03-01T12:00:00.000Z ", "2026-03-0１T12:00:00.000Z",
        ])
    func refused(text: String) {
        #expect(WallTime(text: text) == nil)
    }
}
