import FleetTestSupport
import MobiusTransport
import Synchronization
import Testing

/// A thread that sleeps lets others use its sockets meanwhile.
@Suite struct SocketLockTests {
    @Test func anotherThreadSendsWhileTheirsSleeps() throws {
        let context = Context()
        let pair = try context.socket(.pair)
        try pair.bind("inproc://lock")
        let sleeper = try Sleeper(context, "inproc://lock")
        _ = try pair.send([1])
        #expect(try sleeper.next() == 1)
        sleeper.lock.lock()
        let wakes = sleeper.wakes
        _ = try sleeper.socket.send([7])
        sleeper.lock.unlock()
        try waitUntilReadable(pair)
        var message = Message()
        #expect(try pair.receiveWhole(into: &message) == .message)
        #expect(message.withUnsafeBytes { Array($0) } == [7])
        #expect(sleeper.wakes == wakes)  // it slept on
        sleeper.end()
    }

    @Test func whatCameMeanwhileIsHeard() throws {
        let context = Context()
        let pair = try context.socket(.pair)
        try pair.bind("inproc://lock")
        let sleeper = try Sleeper(context, "inproc://lock")
        // Often, for it depends on what comes first: the message, the other thread's use of the socket, or the sleep.
        for number in 1...500 {
            let byte = UInt8(truncatingIfNeeded: number)
            _ = try pair.send([byte])
            sleeper.lock.lock()
            _ = try sleeper.socket.send([0])
            let isReadable = try sleeper.socket.isReadable
            sleeper.lock.unlock()
            if isReadable { sleeper.wakeUp.signal() }
            #expect(try sleeper.next() == byte)
        }
        sleeper.end()
    }

    @Test func nobodyElseHasTheTurnOfAThreadThatIsAwake() throws {
        let lock = SocketLock()
        let tried = Mutex<Bool?>(nil)
        let other = SocketThread(name: "other")
        other.start {
            let got = lock.tryLock()
            tried.withLock { $0 = got }
        }
        other.join()
        #expect(tried.withLock { $0 } == false)
        lock.unlock()
        #expect(lock.tryLock())
    }
}

/// A socket of a thread that sleeps whenever it has nothing to hear.
// @unchecked Sendable: only the thread that holds the lock uses the socket.
private final class Sleeper: @unchecked Sendable {
    let lock = SocketLock()
    let socket: Socket
    let wakeUp = WakeUp()
    private let thread = SocketThread(name: "sleeper")
    private let news = WakeUp()
    private let state = Mutex(State())

    private struct State {
        var heard: [UInt8] = []
        var rounds = 0
        var isEnding = false
    }

    /// Connects to an endpoint of the same context, and goes to sleep.
    init(_ context: Context, _ endpoint: String) throws {
        socket = try context.socket(.pair, lock: lock)
        try socket.connect(endpoint)
        lock.unlock()
        thread.start { [self] in
            lock.lock()
            while round() {}
            lock.unlock()
        }
    }

    /// How often it woke up.
    var wakes: Int { state.withLock { $0.rounds - 1 } }

    /// What it heard next, or `nil` when it hears nothing in time.
    func next(within limit: Duration = Patience.limit) throws -> UInt8? {
        let deadline = ContinuousClock.now + limit
        var poller = Poller()
        _ = poller.add(news)
        while true {
            if let byte = state.withLock({ $0.heard.isEmpty ? nil : $0.heard.removeFirst() }) { return byte }
            guard ContinuousClock.now < deadline else { return nil }
            if try poller.wait(timeout: deadline - .now) > 0 { news.drain() }
        }
    }

    /// Ends its thread.
    func end() {
        state.withLock { $0.isEnding = true }
        wakeUp.signal()
        thread.join()
    }

    private func round() -> Bool {
        var message = Message()
        while (try? socket.receiveWhole(into: &message)) == .message {
            let byte = message.withUnsafeBytes { $0.first ?? 0 }
            state.withLock { $0.heard.append(byte) }
            news.signal()
        }
        let isEnding = state.withLock { state in
            state.rounds += 1
            return state.isEnding
        }
        guard !isEnding else { return false }
        var poller = Poller()
        _ = poller.add(socket)
        _ = poller.add(wakeUp)
        _ = try? poller.wait(timeout: Patience.limit)
        wakeUp.drain()
        return true
    }
}
