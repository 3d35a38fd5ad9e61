import MobiusTestKit
import Testing

/// The one source of chance.
@Suite struct ChanceTests {
    @Test func equalSeedsDrawEqualNumbers() {
        var (first, second, other) = (Chance(seed: 9), Chance(seed: 9), Chance(seed: 10))
        let drawn = (0..<50).map { _ in first.next() }
        #expect(drawn == (0..<50).map { _ in second.next() })
        #expect(drawn != (0..<50).map { _ in other.next() })
    }

    @Test func numbersStayInTheirRanges() {
        var chance = Chance(seed: 1)
        for _ in 0..<1000 {
            #expect((3...7).contains(chance.number(3...7)))
            let pause = chance.milliseconds(2...5)
            #expect(pause >= .milliseconds(2) && pause <= .milliseconds(5))
        }
    }

    @Test func nothingHappensNeverAndSureThingsAlways() {
        var chance = Chance(seed: 1)
        #expect((0..<1000).allSatisfy { _ in !chance.happens(0) })
        #expect((0..<1000).allSatisfy { _ in chance.happens(10_000) })
        let some = (0..<10_000).count { _ in chance.percent(30) }
        #expect((2700...3300).contains(some))
    }
}
