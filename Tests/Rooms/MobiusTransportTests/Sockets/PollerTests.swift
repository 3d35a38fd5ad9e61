import FleetTestSupport
import MobiusTransport
import Synchronization
import TestTraits
import Testing

@Suite(.ownThread)
struct PollerTests {
    @Test func zeroOnlyLooks() throws {
        let socket = try Context().socket(.pull)
        var poller = Poller()
        _ = poller.add(socket)
        #expect(try poller.wait(timeout: .zero) == 0)
        #expect(try poller.wait(timeout: .seconds(-1)) == 0)  // a deadline that has passed
    }

    @Test(arguments: [Duration.microseconds(1), .milliseconds(30), .milliseconds(30.5)])
    func theTimeIsWaitedOutInFull(timeout: Duration) throws {
        let socket = try Context().socket(.pull)
        var poller = Poller()
        _ = poller.add(socket)
        let begin = ContinuousClock.now
        #expect(try poller.wait(timeout: timeout) == 0)
        #expect(ContinuousClock.now - begin >= timeout)
    }

    #if os(Linux)  // which has timers that interrupt a chosen thread
        @Test func signalsDoNotEndALookAtASocket() throws {
            let failure = Mutex<String?>(nil)
            let looking = SocketThread(name: "looks")
            looking.start {
                // Of these, a few meet a system call that they end: the first of them ended the loop.
                guard let signals = InterruptibleThread().interruptSelf(every: .microseconds(20)) else {
                    failure.withLock { $0 = "no timer" }
                    return
                }
                defer { signals.end() }
                let before = InterruptibleThread.interruptions
                do {
                    let socket = try Context().socket(.router)
                    var look = 0
                    let wait = PatientWait()
                    while InterruptibleThread.interruptions - before < 15_000 {
                        guard !wait.isOver else {
                            failure.withLock { $0 = "there were too few signals" }
                            return
                        }
                        look += 1
                        var poller = Poller()
                        _ = poller.add(socket)
                        _ = try poller.wait(timeout: .zero)
                        _ = try socket.isReadable
                        guard look % 50 == 0 else { continue }
                        try socket.bind("tcp://127.0.0.1:*")
                        try socket.unbind(socket.lastEndpoint)
                    }
                } catch {
                    failure.withLock { $0 = "\(error)" }
                }
            }
            looking.join()
            #expect(failure.withLock { $0 } == nil)
        }
    #endif

    @Test func aPollerOfNothingWaitsToo() throws {
        var poller = Poller()
        let begin = ContinuousClock.now
        #expect(try poller.wait(timeout: .milliseconds(30)) == 0)
        #expect(ContinuousClock.now - begin >= .milliseconds(30))
    }

    @Test func signalsDoNotShortenTheWait() throws {
        let (isReady, over) = (WakeUp(), WakeUp())
        let interrupted = Mutex<InterruptibleThread?>(nil)
        let took = Mutex<Duration?>(nil)
        // A thread of its own: those of the tests' pool block all signals.
        let waiting = SocketThread(name: "waits")
        waiting.start {
            interrupted.withLock { $0 = InterruptibleThread() }
            isReady.signal()
            var poller = Poller()
            let begin = ContinuousClock.now
            let ready = try? poller.wait(timeout: .milliseconds(300))
            took.withLock { $0 = ready == 0 ? ContinuousClock.now - begin : nil }
            over.signal()
        }
        var poller = Poller()
        let ready = poller.add(isReady)
        try poller.wait(timeout: Patience.limit)
        let target = try #require(interrupted.withLock { $0 })
        poller.remove(ready)
        _ = poller.add(over)
        repeat { target.interrupt() } while try poller.wait(timeout: .milliseconds(20)) == 0
        waiting.join()
        let time = try #require(took.withLock { $0 })
        #expect(time >= .milliseconds(300))
        #expect(InterruptibleThread.interruptions > 0)
    }

    @Test func eachItemTellsForItself() throws {
        let context = Context()
        let pull = try context.socket(.pull)
        let push = try context.socket(.push)
        let idle = try context.socket(.pull)
        let wakeUp = WakeUp()
        var poller = Poller()
        let heard = poller.add(pull)
        let room = poller.add(push, for: .writable)
        let quiet = poller.add(idle)
        let woken = poller.add(wakeUp)
        #expect(try poller.wait(timeout: .zero) == 0)  // nobody is connected

        try pull.bind("inproc://items")
        try push.connect("inproc://items")
        #expect(try poller.wait(timeout: Patience.limit) == 1)
        #expect(readiness(poller, heard, room, quiet, woken) == [false, true, false, false])
        #expect(try push.send(bytes("hello")) == .sent)
        wakeUp.signal()
        poller.setInterest([], for: room)
        #expect(try poller.wait(timeout: Patience.limit) == 2)
        #expect(readiness(poller, heard, room, quiet, woken) == [true, false, false, true])
        poller.remove(heard)
        poller.remove(quiet)
        #expect(try poller.wait(timeout: Patience.limit) == 1)
        let again = poller.add(pull)  // takes a place that was left
        #expect(try poller.wait(timeout: Patience.limit) == 2)
        let isReadable = poller.isReadable(again)
        #expect(isReadable)
    }

    @Test(.patient) func whatNobodyWaitsForLetsItSleep() throws {
        let talk = try Conversation.begin()
        #expect(try talk.dealer.send(bytes("unheard")) == .sent)
        var poller = Poller()
        let item = poller.add(talk.router)
        #expect(try poller.wait(timeout: Patience.limit) == 1)
        poller.setInterest([], for: item)
        // More keeps coming, so the socket's descriptor is ready again and again.
        #expect(try talk.dealer.send(bytes("more")) == .sent)
        let before = threadTime()
        #expect(try poller.wait(timeout: .milliseconds(300)) == 0)
        #expect(threadTime() - before < .milliseconds(100), "it spun")
    }

    @Test func whatOnePollerSawAnotherSeesToo() throws {
        let talk = try Conversation.begin()
        var first = Poller()
        var second = Poller()
        _ = first.add(talk.router)
        let item = second.add(talk.router)
        #expect(try second.wait(timeout: .zero) == 0)
        #expect(try talk.dealer.send(bytes("hello")) == .sent)
        // The first one's look takes from the descriptor what it had to tell.
        #expect(try first.wait(timeout: Patience.limit) == 1)
        #expect(try second.wait(timeout: .zero) == 1)
        let isReadable = second.isReadable(item)
        #expect(isReadable)
    }

    private func readiness(
        _ poller: borrowing Poller, _ heard: Poller.Item, _ room: Poller.Item, _ quiet: Poller.Item,
        _ woken: Poller.Item
    ) -> [Bool] {
        [poller.isReadable(heard), poller.isWritable(room), poller.isReadable(quiet), poller.isReadable(woken)]
    }

    @Test func moreItemsThanLibzmqKeepsOnItsStack() throws {
        let wakeUps = (0..<40).map { _ in WakeUp() }
        var poller = Poller()
        let items = wakeUps.map { poller.add($0) }
        wakeUps[39].signal()
        wakeUps[3].signal()
        #expect(try poller.wait(timeout: Patience.limit) == 2)
        let ready = items.indices.filter { poller.isReadable(items[$0]) }
        #expect(ready == [3, 39])
    }
}
