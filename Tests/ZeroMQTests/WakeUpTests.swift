import Synchronization
import Testing
import ZeroMQ

@Suite struct WakeUpTests {
    @Test func aSignalMakesThePollerReadyUntilDrained() throws {
        let wakeUp = WakeUp()
        var poller = Poller()
        let item = poller.add(wakeUp)
        #expect(try poller.wait(timeout: .zero) == 0)

        wakeUp.signal()
        wakeUp.signal()
        #expect(try poller.wait(timeout: .zero) == 1)
        let isReadable = poller.isReadable(item)
        #expect(isReadable)
        #expect(try poller.wait(timeout: .zero) == 1)

        wakeUp.drain()
        #expect(try poller.wait(timeout: .zero) == 0)
        wakeUp.drain()
        wakeUp.signal()
        #expect(try poller.wait(timeout: .zero) == 1)
    }

    @Test func aSignalFromAnotherThreadEndsTheWait() throws {
        let wakeUp = WakeUp()
        let thread = SocketThread(name: "signals")
        thread.start { _ in wakeUp.signal() }
        var poller = Poller()
        _ = poller.add(wakeUp)
        #expect(try poller.wait(timeout: .seconds(20)) == 1)
        thread.join()
    }

    /// Each round ends only when the receiver has seen that round's work, so a single lost wake-up would stop it.
    @Test(arguments: [1, 3]) func noWakeUpIsLost(senders: Int) throws {
        let rounds = 20_000
        let wakeUp = WakeUp()
        let posted = Counter()
        let seen = Counter()
        let threads = (0..<senders).map { SocketThread(name: "sender \($0)") }
        for thread in threads {
            thread.start { _ in
                for _ in 0..<rounds {
                    let mine = posted.increment()
                    wakeUp.signal()
                    // Every other round without waiting, so that signals also meet a receiver at work.
                    while mine.isMultiple(of: 2), seen.value < mine, !seen.isOver { yieldThread() }
                }
            }
        }
        var poller = Poller()
        _ = poller.add(wakeUp)
        while seen.value < senders * rounds {
            let ready = try poller.wait(timeout: .seconds(20))
            if ready == 0 {
                seen.finish()
                Issue.record("a wake-up was lost after \(seen.value) of \(posted.value)")
                break
            }
            wakeUp.drain()
            seen.raise(to: posted.value)
        }
        for thread in threads { thread.join() }
        #expect(seen.value == senders * rounds)
    }
}

/// Counts across threads without ordering anything else: only the wake-up makes its growth visible.
private final class Counter: Sendable {
    private let count = Atomic<Int>(0)
    private let over = Atomic<Bool>(false)

    var value: Int { count.load(ordering: .relaxed) }
    var isOver: Bool { over.load(ordering: .relaxed) }
    func increment() -> Int { count.add(1, ordering: .relaxed).newValue }
    func raise(to value: Int) { count.store(value, ordering: .relaxed) }
    func finish() { over.store(true, ordering: .relaxed) }
}
