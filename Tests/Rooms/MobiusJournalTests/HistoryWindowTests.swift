import MobiusJournal
import MobiusWire
import Testing

@Suite("The window of a history")
struct HistoryWindowTests {
    private func at(_ seconds: Int64) -> WallTime { WallTime(milliseconds: seconds * 1000) }

    @Test("releases what was superseded longer ago than its age, by the time of events")
    func age() {
        let window = HistoryWindow(age: .seconds(60))
        #expect(!window.releases(superseded: at(100), now: at(160), used: .max))
        #expect(window.releases(superseded: at(100), now: at(161), used: 0))
        #expect(!window.releases(superseded: at(100), now: nil, used: .max), "before the first event of a process")
        #expect(!window.releases(superseded: at(100), now: at(50), used: 0), "a clock that was set back")
        let edge = WallTime(milliseconds: .max)
        #expect(window.releases(superseded: WallTime(milliseconds: .min), now: edge, used: 0))
        #expect(!window.releases(superseded: edge, now: WallTime(milliseconds: .min), used: 0))
    }

    @Test("releases while the journal is larger than its bytes, and at two limits beyond either")
    func bytes() {
        let window = HistoryWindow(bytes: 1000)
        #expect(!window.releases(superseded: at(0), now: at(1 << 40), used: 1000))
        #expect(window.releases(superseded: at(0), now: nil, used: 1001))
        let both = HistoryWindow(age: .seconds(60), bytes: 1000)
        #expect(both.releases(superseded: at(0), now: at(61), used: 0))
        #expect(both.releases(superseded: at(0), now: at(1), used: 1001))
        #expect(!both.releases(superseded: at(0), now: at(1), used: 1000))
        #expect(!HistoryWindow().releases(superseded: at(0), now: at(1 << 40), used: .max), "no limit")
        #expect(HistoryWindow(age: .seconds(-1), bytes: -1) == HistoryWindow(age: .zero, bytes: 0))
    }
}
