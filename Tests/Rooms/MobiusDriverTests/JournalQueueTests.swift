import MobiusDriver
import MobiusEngine
import MobiusJournal
import MobiusWire
import Testing

@Suite("The journal's queue")
struct JournalQueueTests {
    private let event = JournalRecord.event(
        EventRecord(loop: .main, sequence: 0, source: .start, event: nil, effects: [], ends: nil))

    /// What the next steps are, in short: `c1,2` a commit with these tickets, `r` a read, `w2` two works, `p`, `s`, `x` the close.
    private func steps(_ queue: inout JournalQueue, _ most: Int = .max) -> [String] {
        var steps: [String] = []
        while steps.count < most, let step = queue.next() {
            switch step {
            case .commit(let commit): steps.append("c" + commit.tickets.map { "\($0.number)" }.joined(separator: ","))
            case .save: steps.append("s")
            case .park: steps.append("p")
            case .read: steps.append("r")
            case .perform(let works): steps.append("w\(works.count)")
            case .close: steps.append("x")
            }
        }
        return steps
    }

    private func append(_ numbers: ClosedRange<UInt64>, bytes: Int = 0, to queue: inout JournalQueue) {
        for number in numbers { queue.add(.append(Ticket(number), [event], facts: [], bytes: bytes)) }
    }

    private let read = JournalQueue.Job.read { _ in }
    private let work = JournalQueue.Job.perform { _ in }

    @Test("makes one commit of what comes during a step, and lets nothing pass what depends on it")
    func order() {
        var queue = JournalQueue()
        append(1...2, to: &queue)
        #expect(steps(&queue, 1) == ["c1,2"])
        append(3...4, to: &queue)
        queue.add(.park([]))
        append(5...5, to: &queue)
        queue.add(work)
        queue.add(work)
        append(6...7, to: &queue)
        queue.add(.save(.main) { fatalError("never made") })
        queue.add(.close)
        #expect(steps(&queue) == ["c3,4", "p", "c5", "w2", "c6,7", "s", "x"])
        #expect(queue.next() == nil)
    }

    @Test("a commit waits for one read at most, and a read for one step")
    func reads() {
        var queue = JournalQueue()
        for _ in 0..<3 { queue.add(read) }
        append(1...1, to: &queue)
        queue.add(work)
        #expect(steps(&queue) == ["c1", "r", "w1", "r", "r"])
        queue.add(read)
        #expect(steps(&queue) == ["r"])
    }

    @Test("a commit is full by its records or its bytes, and works are bounded")
    func limits() {
        var queue = JournalQueue(maximumRecords: 2)
        append(1...5, to: &queue)
        #expect(steps(&queue) == ["c1,2", "c3,4", "c5"])
        queue = JournalQueue()
        append(1...3, bytes: JournalQueue.maximumBytes / 2, to: &queue)
        #expect(steps(&queue) == ["c1,2", "c3"])
        for _ in 0..<600 { queue.add(work) }
        #expect(steps(&queue) == ["w256", "w256", "w88"])
    }

    @Test("after a failure nothing is done but to close, whether it was asked for before or after")
    func failure() {
        for isBefore in [true, false] {
            var queue = JournalQueue()
            append(1...1, to: &queue)
            queue.add(read)
            if isBefore { queue.add(.close) }
            #expect(steps(&queue, 1) == ["c1"])
            queue.fail()
            append(2...2, to: &queue)
            queue.add(read)
            queue.add(work)
            #expect(steps(&queue) == (isBefore ? ["x"] : []))
            if !isBefore { queue.add(.close) }
            #expect(steps(&queue) == (isBefore ? [] : ["x"]))
        }
    }

    @Test("what was taken takes no memory, and the rest keeps its order")
    func long() {
        var queue = JournalQueue(maximumRecords: 1)
        var taken: [String] = []
        for round in UInt64(0)..<300 {
            append(2 * round + 1...2 * round + 2, to: &queue)
            taken += steps(&queue, 1)
        }
        #expect(taken + steps(&queue) == (1...600).map { "c\($0)" })
    }
}
