import MobiusEngine
import Testing

extension Int: SlotKey {}

@Suite struct FIFOTests {
    @Test func firstInFirstOut() {
        var queue = FIFO<Int>()
        #expect(queue.isEmpty)
        #expect(queue.popFirst() == nil)
        for number in 1...3 { queue.append(number) }
        #expect(queue.count == 3)
        #expect((1...4).map { _ in queue.popFirst() } == [1, 2, 3, nil])
        #expect(queue.isEmpty)
    }

    @Test func whatIsPutInFrontKeepsItsOrder() {
        var queue = FIFO<Int>()
        for number in 1...4 { queue.append(number) }
        _ = queue.popFirst()
        queue.prepend([7, 8, 9])
        #expect(queue.count == 6)
        #expect((1...6).compactMap { _ in queue.popFirst() } == [7, 8, 9, 2, 3, 4])
    }

    @Test func sweepingKeepsTheOrderOfTheRest() {
        var queue = FIFO<Int>()
        for number in 1...9 { queue.append(number) }
        for _ in 1...2 { _ = queue.popFirst() }
        queue.sweep { $0 % 2 == 0 }
        queue.append(11)
        #expect(queue.count == 4)
        #expect((1...5).map { _ in queue.popFirst() } == [4, 6, 8, 11, nil])
    }

    @Test func equalityMeansWhatWaits() {
        var queue = FIFO<Int>()
        for number in 1...300 { queue.append(number) }
        for _ in 1...298 { _ = queue.popFirst() }
        var fresh = FIFO<Int>()
        fresh.append(299)
        #expect(queue != fresh)
        fresh.append(300)
        #expect(queue == fresh)
    }

    @Test func itAgreesWithAnArray() {
        var random = SplitMix64(seed: 3)
        var queue = FIFO<Int>()
        var array: [Int] = []
        for number in 0..<5000 {
            switch random.next() % 8 {
            case 0...3:
                queue.append(number)
                array.append(number)
            case 4:
                queue.prepend([number, -number])
                array.insert(contentsOf: [number, -number], at: 0)
            default: #expect(queue.popFirst() == (array.isEmpty ? nil : array.removeFirst()))
            }
            #expect(queue.count == array.count)
        }
    }
}

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
