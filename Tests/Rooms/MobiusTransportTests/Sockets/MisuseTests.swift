import MobiusTransport
import Testing

/// Misuse crashes, and the crash says what to do instead.
@Suite struct MisuseTests {
    @Test func usingASocketOnAnotherThread() async throws {
        let crash = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let stolen = Stolen(try Context().socket(.dealer))
            let thief = SocketThread(name: "thief")
            thief.start { _ = try? stolen.socket.send([1]) }
            thief.join()
        }
        try expect(crash, says: "make and use it on one thread")
    }

    @Test func waitingForASocketOnAnotherThread() async throws {
        let crash = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let stolen = Stolen(try Context().socket(.dealer))
            stolen.item = stolen.poller.add(stolen.socket)
            let thief = SocketThread(name: "thief")
            thief.start { _ = try? stolen.poller.wait(timeout: .zero) }
            thief.join()
        }
        try expect(crash, says: "make and use it on one thread")
    }

    @Test func usingASocketOutOfTurn() async throws {
        let crash = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let lock = SocketLock()
            let socket = try Context().socket(.dealer, lock: lock)
            lock.unlock()
            _ = try socket.send([1])
        }
        try expect(crash, says: "take the SocketLock that it was made with")
    }

    @Test func givingAwayTheTurnOfAnother() async throws {
        let crash = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let lock = SocketLock()
            let thief = SocketThread(name: "thief")
            thief.start { lock.unlock() }
            thief.join()
        }
        try expect(crash, says: "take the SocketLock that it was made with")
    }

    @Test func sendingToAPeerOfADealer() async throws {
        let crash = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let socket = try Context().socket(.dealer)
            _ = try socket.send(to: PeerID(), [1])
        }
        try expect(crash, says: "Only a router socket sends to a chosen peer")
    }

    @Test func askingADealerWhoSent() async throws {
        let crash = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let socket = try Context().socket(.dealer)
            var peer = PeerID()
            var message = Message()
            _ = try socket.receive(from: &peer, into: &message)
        }
        try expect(crash, says: "Only a router socket tells who sent a message")
    }

    @Test func terminatingAContextUnderItsOwnSocket() async throws {
        let crash = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let context = Context()
            let socket = try context.socket(.dealer)
            context.terminate()
            _ = try socket.send([1])
        }
        try expect(crash, says: "this thread still has one: close it first")
    }

    @Test func usingAnItemThatWasRemoved() async throws {
        let crash = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            var poller = Poller()
            let item = poller.add(WakeUp())
            poller.remove(item)
            _ = poller.add(WakeUp())  // in the same place
            _ = poller.isReadable(item)
        }
        try expect(crash, says: "This item is not in this poller")
    }

    @Test func startingAThreadTwice() async throws {
        let crash = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let thread = SocketThread(name: "twice")
            thread.start {}
            thread.start {}
        }
        try expect(crash, says: "A SocketThread starts once")
    }

    @Test func joiningAThreadThatNeverStarted() async throws {
        let crash = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            SocketThread(name: "idle").join()
        }
        try expect(crash, says: "start it first")
    }

    @Test func aThreadJoiningItself() async throws {
        let crash = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let thread = SocketThread(name: "itself")
            thread.start { thread.join() }
            thread.join()
        }
        try expect(crash, says: "A SocketThread cannot join itself")
    }

    private func expect(_ crash: ExitTest.Result?, says sentence: String) throws {
        let said = String(decoding: try #require(crash).standardErrorContent, as: UTF8.self)
        #expect(said.contains(sentence))
    }
}

/// A socket that is carried to another thread in spite of all warnings.
private final class Stolen: @unchecked Sendable {
    let socket: Socket
    var poller = Poller()
    var item: Poller.Item?

    init(_ socket: consuming Socket) {
        self.socket = socket
    }
}
