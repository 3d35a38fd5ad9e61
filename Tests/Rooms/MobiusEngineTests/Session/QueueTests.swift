import MobiusEngine
import Testing

extension Int: SlotKey {}

@Suite struct RecentSetTests {
    @Test func membersAreInsertedOnce() {
        var set = RecentSet<Int>(limit: 3)
        let inserted = [set.insert(1), set.insert(1)]
        #expect(inserted == [true, false])
        #expect(set.contains(1))
        #expect(!set.contains(2))
    }

    @Test func theNewestAreHeldAndTheOldestForgotten() {
        var set = RecentSet<Int>(limit: 10)
        for number in 0..<1000 {
            set.insert(number)
            for recent in max(0, number - 9)...number { #expect(set.contains(recent)) }
            if number >= 20 { #expect(!set.contains(number - 20)) }
        }
    }
}
