import FleetTestSupport
import MobiusTransport
import Synchronization
import TestTraits
import Testing

@Suite(.ownThread)
struct WakeUpTests {
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
        thread.start { wakeUp.signal() }
        var poller = Poller()
        _ = poller.add(wakeUp)
        #expect(try poller.wait(timeout: Patience.limit) == 1)
        thread.join()
    }

    /// Every burst of signals goes on until the receiver is at work, and then waits until it has seen the last one: so
    /// signals meet it in all states, and a single lost one stops everything.
    ///
    /// A receiver may take signals back one by one, or have none made while it is awake.
    @Test(arguments: [1, 3], [false, true]) func noWakeUpIsLost(senders: Int, isHeld: Bool) throws {
        let tally = Tally(senders: senders)
        for number in 0..<senders {
            SocketThread(name: "sender \(number)").start {
                for _ in 0..<3_000 {
                    let first = tally.post()
                    var last = first
                    while tally.seen < first, !tally.isOver { last = tally.post() }
                    while tally.seen < last, !tally.isOver { yieldThread() }
                }
                tally.senderIsDone()
            }
        }
        var poller = Poller()
        _ = poller.add(tally.wakeUp)
        while tally.busySenders > 0 {
            if isHeld {
                tally.wakeUp.release()
                if tally.seen < tally.posted || tally.busySenders == 0 {
                    tally.wakeUp.hold(isReadable: false)
                    tally.see()
                    continue
                }
            }
            let ready = try poller.wait(timeout: Patience.limit)
            if ready == 0 { tally.giveUp() }
            try #require(ready == 1, "a signal was lost")
            if isHeld { tally.wakeUp.hold(isReadable: true) } else { tally.wakeUp.drain() }
            tally.see()
        }
        #expect(tally.seen == tally.posted)
    }
}

/// Work that senders post and a receiver sees; only the wake-up orders the two, the counters are relaxed.
private final class Tally: Sendable {
    let wakeUp = WakeUp()
    private let postedCount = Atomic<Int>(0)
    private let seenCount = Atomic<Int>(0)
    private let busyCount: Atomic<Int>
    private let over = Atomic<Bool>(false)

    init(senders: Int) { busyCount = Atomic(senders) }

    var posted: Int { postedCount.load(ordering: .relaxed) }
    var seen: Int { seenCount.load(ordering: .relaxed) }
    var busySenders: Int { busyCount.load(ordering: .relaxed) }
    var isOver: Bool { over.load(ordering: .relaxed) }

    func post() -> Int {
        let number = postedCount.add(1, ordering: .relaxed).newValue
        wakeUp.signal()
        return number
    }

    func see() { seenCount.store(posted, ordering: .relaxed) }

    func senderIsDone() {
        busyCount.subtract(1, ordering: .relaxed)
        wakeUp.signal()
    }

    func giveUp() { over.store(true, ordering: .relaxed) }
}
