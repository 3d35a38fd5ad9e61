import MobiusEngine
import Testing

@Suite struct DeadlineQueueTests {
    @Test func theEarliestComesFirst() {
        var queue = DeadlineQueue<String>()
        #expect(queue.next == nil)
        queue.set("c", at: .seconds(3))
        queue.set("a", at: .seconds(1))
        queue.set("b", at: .seconds(2))
        #expect(queue.next == .seconds(1))
        #expect(queue.count == 3)
        #expect(queue.pop(dueAt: .seconds(0.9)) == nil)
        #expect(queue.pop(dueAt: .seconds(2)) == "a")
        #expect(queue.pop(dueAt: .seconds(2)) == "b")
        #expect(queue.pop(dueAt: .seconds(2)) == nil)
        #expect(queue.pop(dueAt: .seconds(3)) == "c")
        #expect(queue.next == nil)
    }

    @Test func ofEqualDeadlinesTheFirstSetComesFirst() {
        var queue = DeadlineQueue<Int>()
        for number in 0..<100 { queue.set(number, at: .seconds(number % 2 == 0 ? 1 : 2)) }
        let order = (0..<100).compactMap { _ in queue.pop(dueAt: .seconds(2)) }
        #expect(order == Array(stride(from: 0, to: 100, by: 2)) + Array(stride(from: 1, to: 100, by: 2)))
    }

    @Test func sweepingKeepsTheOrder() {
        var random = SplitMix64(seed: 5)
        var queue = DeadlineQueue<Int>()
        let moments = (0..<500).map { _ in Moment(nanoseconds: Int64(random.next() % 100)) }
        for (number, moment) in moments.enumerated() { queue.set(number, at: moment) }
        queue.sweep { $0 % 3 == 0 }
        var expected = (0..<500).filter { $0 % 3 == 0 }
        expected.sort { (moments[$0], $0) < (moments[$1], $1) }
        #expect(queue.count == expected.count)
        #expect((0..<500).compactMap { _ in queue.pop(dueAt: .seconds(1)) } == expected)
    }

    @Test func takingAmongSettingAgreesWithASortedList() {
        var random = SplitMix64(seed: 9)
        var queue = DeadlineQueue<Int>()
        var list: [(moment: Moment, number: Int)] = []
        for number in 0..<2000 {
            let moment = Moment(nanoseconds: Int64(random.next() % 50))
            if random.next() % 3 > 0 {
                queue.set(number, at: moment)
                let place = list.firstIndex { $0.moment > moment } ?? list.endIndex
                list.insert((moment, number), at: place)
            } else {
                let due = list.first.flatMap { $0.moment <= moment ? $0.number : nil }
                if due != nil { list.removeFirst() }
                #expect(queue.pop(dueAt: moment) == due)
            }
        }
    }
}
