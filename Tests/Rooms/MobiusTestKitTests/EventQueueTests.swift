import MobiusEngine
import MobiusTestKit
import Testing

/// What is planned happens at its moment, and in the order of the plans where moments are equal.
@Suite struct EventQueueTests {
    @Test func thingsHappenInTheOrderOfTheirMoments() {
        var queue = EventQueue<Int>()
        var happened: [String] = []
        for (name, time) in [("c", 30), ("a", 10), ("d", 30), ("b", 20), ("e", 30)] as [(String, Int64)] {
            queue.plan(at: Moment(nanoseconds: time)) { _ in happened.append(name) }
        }
        #expect(queue.next == Moment(nanoseconds: 10))
        while let act = queue.pop() { act(0) }
        #expect(happened == ["a", "b", "c", "d", "e"])
        #expect(queue.next == nil)
    }

    @Test func manyPlansComeOutSorted() {
        var chance = Chance(seed: 5)
        var queue = EventQueue<Int>()
        var times: [Int64] = []
        for _ in 0..<500 {
            let time = Int64(chance.number(0...200))
            queue.plan(at: Moment(nanoseconds: time)) { _ in times.append(time) }
        }
        while let act = queue.pop() { act(0) }
        #expect(times == times.sorted())
        #expect(times.count == 500)
    }
}
