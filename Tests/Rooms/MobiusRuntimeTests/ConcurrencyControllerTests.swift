import MobiusRuntime
import Testing

@Suite("How many threads handlers may have")
struct ConcurrencyControllerTests {
    @Test("doubles while all that there may be are kept by their jobs, up to the limit")
    func growth() {
        var allowance = ConcurrencyController(baseline: 2, limit: 7)
        var counts: [Int] = []
        for _ in 0..<6 {
            allowance.fill()
            allowance.sample(areQuick: false)
            counts.append(allowance.count)
        }
        // Whenever some were begun it waits whether those keep theirs, too.
        #expect(counts == [2, 4, 4, 7, 7, 7])
    }

    @Test("stays as it is while some of the threads have yet to come")
    func idleness() {
        var allowance = ConcurrencyController(baseline: 2, limit: 100_000)
        for _ in 0..<5 { allowance.sample(areQuick: true) }
        _ = allowance.begin()
        for _ in 0..<5 { allowance.sample(areQuick: true) }
        #expect(allowance.count == 2)
    }

    @Test("takes back what a busy machine brought, once the jobs turn out to be quick")
    func starvation() {
        var allowance = ConcurrencyController(baseline: 2, limit: 100_000)
        for _ in 0..<8 {
            allowance.fill()
            allowance.sample(areQuick: false)
        }
        #expect(allowance.count == 32)
        allowance.fill()
        allowance.startSampling()
        for number in 1...16 { allowance.end(UInt64(number), isLast: false) }
        _ = allowance.begin()
        allowance.sample(areQuick: true)
        // The other sixteen have kept theirs all the time.
        #expect(allowance.count == 16 + 2)
        allowance.sample(areQuick: true)
        #expect(allowance.count == 18)
        for number in 17...33 { allowance.end(UInt64(number), isLast: false) }
        _ = allowance.begin()
        allowance.sample(areQuick: true)
        #expect(allowance.count == 2)
    }

    @Test("leaves slow jobs their threads, though some of them end")
    func slowness() {
        var allowance = ConcurrencyController(baseline: 2, limit: 8)
        for _ in 0..<4 {
            allowance.fill()
            allowance.sample(areQuick: false)
        }
        for number in 1...4 { allowance.end(UInt64(number), isLast: false) }
        allowance.fill()
        allowance.sample(areQuick: false)
        #expect(allowance.count == 8)
        #expect(allowance.running == 8)
    }

    @Test("falls back when nothing waits and fewer run than are enough for quick jobs")
    func decline() {
        var allowance = ConcurrencyController(baseline: 2, limit: 8)
        allowance.fill()
        allowance.startSampling()
        allowance.sample(areQuick: false)
        allowance.fill()
        for number in 1...2 { allowance.end(UInt64(number), isLast: true) }
        #expect(allowance.count == 4)
        allowance.end(3, isLast: true)
        #expect(allowance.count == 2)
    }

    @Test("makes do with the threads there are when the system refuses one, and asks again later")
    func refusal() {
        var allowance = ConcurrencyController(baseline: 4, limit: 64)
        allowance.fill()
        allowance.startSampling()
        for _ in 0..<3 { allowance.sample(areQuick: false) }
        #expect(allowance.count == 8)
        allowance.limitToExisting(threads: 4)
        #expect(allowance.count == 4)
        allowance.sample(areQuick: false)
        #expect(allowance.count == 8)
        allowance.limitToExisting(threads: 0)
        #expect(allowance.count == 1)
    }

    @Test("is at least one, and never more than the limit", arguments: [(0, 0, 1), (8, 3, 3), (2, 1, 1)])
    func bounds(baseline: Int, limit: Int, count: Int) {
        #expect(ConcurrencyController(baseline: baseline, limit: limit).count == count)
    }
}

extension ConcurrencyController {
    /// Begins as many jobs as may run.
    fileprivate mutating func fill() {
        while running < count { _ = begin() }
    }
}
