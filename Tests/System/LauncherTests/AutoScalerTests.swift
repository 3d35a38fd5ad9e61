import MobiusLauncher
import Testing

@Suite("How a pool follows its work")
struct AutoScalerTests {
    private func sample(
        workers: Int = 1, ready: Int = 0, running: Int = 0, credit: Int = 0, oldest: Int = 0
    ) -> AutoScaler.Sample {
        var sample = AutoScaler.Sample()
        (sample.workers, sample.ready, sample.running, sample.credit) = (workers, ready, running, credit)
        sample.oldest = .seconds(oldest)
        return sample
    }

    /// Hands in a sample each second; the changes, with their seconds.
    private func changes(
        _ scaler: inout AutoScaler, from begin: Int = 0, seconds: Int, replicas: inout Int,
        _ sample: (Int) -> AutoScaler.Sample
    ) -> [[Int]] {
        var changes: [[Int]] = []
        for second in begin..<(begin + seconds) {
            guard let decision = scaler.decide(sample(replicas), replicas: replicas, at: .seconds(second)) else {
                continue
            }
            replicas = decision.replicas
            changes.append([second, replicas])
        }
        return changes
    }

    @Test("Work that finds no room for the age makes it grow, at most to twice its size per cooldown, to its limit")
    func growth() {
        var scaler = AutoScaler(range: 1...8)
        var replicas = 1
        let grown = changes(&scaler, seconds: 60, replicas: &replicas) {
            sample(workers: $0, ready: 1000, running: 4 * $0)
        }
        #expect(grown == [[2, 2], [12, 4], [22, 8]])
    }

    @Test("It grows by no more than the backlog fills")
    func backlog() {
        var scaler = AutoScaler(range: 1...8)
        var replicas = 4
        // 16 run, 2 wait: five workers of four are enough.
        let grown = changes(&scaler, seconds: 3, replicas: &replicas) { _ in sample(workers: 4, ready: 2, running: 16) }
        #expect(grown == [[2, 5]])
    }

    @Test("An old backlog counts at once, whenever it is first seen")
    func age() {
        var scaler = AutoScaler(range: 1...8)
        let old = scaler.decide(sample(ready: 1, running: 4, oldest: 2), replicas: 1, at: .seconds(100))
        #expect(old?.replicas == 2)
        var other = AutoScaler(range: 1...8)
        #expect(other.decide(sample(ready: 1, running: 4, oldest: 1), replicas: 1, at: .seconds(100)) == nil)
    }

    @Test("Where there is room, or the backlog goes away in between, it stays")
    func enough() {
        var scaler = AutoScaler(range: 1...8)
        var replicas = 1
        let limited = changes(&scaler, seconds: 30, replicas: &replicas) { _ in sample(ready: 50, running: 2, credit: 2)
        }
        #expect(limited == [])
        for second in 30..<60 {
            let ready = second % 2
            #expect(scaler.decide(sample(ready: ready, running: 4), replicas: 1, at: .seconds(second)) == nil)
        }
    }

    @Test("It shrinks to what sufficed for the whole idle time with a quarter to spare, not by a moment's rest")
    func shrinkage() {
        var scaler = AutoScaler(range: 1...8)
        var replicas = 8
        let shrunk = changes(&scaler, seconds: 61, replicas: &replicas) { sample(workers: $0, running: 12, credit: 20) }
        // 12 of them need three workers of four; with a quarter to spare, four.
        #expect(shrunk == [[60, 4]])
        var busy = AutoScaler(range: 1...8)
        replicas = 8
        for second in 0..<200 {
            let running = second % 50 == 0 ? 32 : 0
            #expect(
                busy.decide(
                    sample(workers: 8, running: running, credit: 32 - running), replicas: 8, at: .seconds(second))
                    == nil)
        }
    }

    @Test("After growing it does not shrink for the idle time, nor grow and shrink by turns under a steady load")
    func hysteresis() {
        var scaler = AutoScaler(range: 1...8)
        var replicas = 1
        // 10 at a time, 4 in a worker: what has no room waits.
        let all = changes(&scaler, seconds: 600, replicas: &replicas) { workers in
            let running = min(10, 4 * workers)
            return sample(workers: workers, ready: 10 - running, running: running, credit: 4 * workers - running)
        }
        #expect(all == [[2, 2], [12, 3]])
    }

    @Test("From nothing at once, and back to nothing")
    func zero() {
        var scaler = AutoScaler(range: 0...4, slots: 4)
        #expect(scaler.decide(sample(workers: 0, ready: 20), replicas: 0, at: .zero)?.replicas == 1)
        #expect(scaler.decide(sample(workers: 0, ready: 20), replicas: 1, at: .seconds(1)) == nil)
        var replicas = 1
        let rest = changes(&scaler, from: 2, seconds: 70, replicas: &replicas) { sample(workers: $0, credit: 4 * $0) }
        #expect(rest == [[61, 0]])
    }

    @Test("What it could not see is not taken for rest")
    func blind() {
        var scaler = AutoScaler(range: 1...8)
        _ = scaler.decide(sample(workers: 4, credit: 16), replicas: 4, at: .zero)
        #expect(scaler.decide(sample(workers: 4, credit: 16), replicas: 4, at: .seconds(100)) == nil)
        #expect(scaler.decide(sample(workers: 4, credit: 16), replicas: 4, at: .seconds(104)) == nil)
    }

    @Test("A pool outside of its range comes back into it")
    func range() {
        var scaler = AutoScaler(range: 2...4)
        #expect(scaler.decide(sample(), replicas: 1, at: .zero)?.replicas == 2)
        #expect(scaler.decide(sample(), replicas: 9, at: .zero)?.replicas == 4)
    }

    @Test(
        "How people write it",
        arguments: [
            ("3", .fixed(3)), ("0", .fixed(0)), ("1000", .fixed(1000)), ("auto(1...8)", .auto(1...8)),
            ("auto(0...1)", .auto(0...1)), ("auto(2...2)", .auto(2...2)), ("1001", nil), ("-1", nil), ("+1", nil),
            ("auto", nil), ("auto()", nil), ("auto(8...1)", nil), ("auto(0...0)", nil), ("auto(1..8)", nil),
            ("auto(1...1001)", nil), ("", nil), ("two", nil), ("1.5", nil),
        ] as [(String, Replicas?)])
    func text(text: String, replicas: Replicas?) {
        #expect(Replicas(text) == replicas)
    }
}
