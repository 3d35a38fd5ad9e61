import FleetTestSupport
import MobiusTransport
import TestTraits
import Testing

@Suite(.ownThread)
struct FlowTests {
    @Test func anUnknownPeerIsUnreachable() throws {
        let talk = try Conversation.begin()
        let stranger = try #require(PeerID(bytes("stranger")))
        #expect(try talk.router.send(to: stranger, bytes("anybody?")) == .unreachable)
        #expect(try talk.router.send(to: PeerID(), bytes("nobody")) == .unreachable)
    }

    @Test func refusedMessagesLeaveNothingBehind() throws {
        var talk = try Conversation.begin()
        let stranger = try #require(PeerID(bytes("stranger")))
        for round in 0..<100 {
            #expect(try talk.router.send(to: stranger, bytes("lost")) == .unreachable)
            #expect(try talk.router.send(to: talk.peer, bytes("\(round)")) == .sent)
            #expect(try talk.dealerHears() == .message)
            #expect(talk.message.array == bytes("\(round)"))
        }
    }

    @Test func aPeerThatLeftBecomesUnreachable() throws {
        let context = Context()
        let router = try context.socket(.router)
        try router.set(.routerMandatory, to: true)
        try router.bind("tcp://127.0.0.1:*")
        let monitor = try router.monitor()
        var peer = PeerID()
        do {
            let dealer = try context.socket(.dealer)
            try dealer.connect(try router.lastEndpoint)
            _ = try dealer.send(bytes("hello"))
            var message = Message()
            try waitUntilReadable(router)
            #expect(try router.receive(from: &peer, into: &message) == .message)
        }
        #expect(try monitor.first { $0 == .disconnected } != nil)
        var result = SendResult.sent
        let deadline = ContinuousClock.now + Patience.limit
        while result != .unreachable, ContinuousClock.now < deadline {
            result = try router.send(to: peer, bytes("still there?"))
            // A full queue to a peer that is gone is noticed when the socket is polled.
            try waitUntilReadable(router, until: .now + .milliseconds(5))
        }
        #expect(result == .unreachable)
    }

    @Test func aDealerWithNobodyToTalkToWouldBlock() throws {
        let dealer = try Context().socket(.dealer)
        try dealer.set(.immediate, to: true)
        try dealer.connect("tcp://127.0.0.1:1")
        #expect(try dealer.send(bytes("hello?")) == .wouldBlock)
    }

    @Test func aFullPeerWouldBlockWhileOthersHear() throws {
        let context = Context()
        var slow = try Conversation.begin(
            in: context, router: { try $0.set(.sendHighWaterMark, to: 10) },
            dealer: { try $0.set(.receiveHighWaterMark, to: 10) })
        let slowPeer = slow.peer
        let payload = [UInt8](repeating: 7, count: 300_000)
        let sent = try fill(slow.router, slowPeer, payload)
        #expect(try slow.router.send(to: slowPeer, payload) == .wouldBlock)

        let quick = try context.socket(.dealer)
        try quick.connect(try slow.router.lastEndpoint)
        _ = try quick.send(bytes("here"))
        #expect(try slow.routerHears() == .message)
        #expect(slow.peer != slowPeer)
        #expect(try slow.router.send(to: slow.peer, bytes("quick")) == .sent)
        try waitUntilReadable(quick)
        var message = Message()
        #expect(try quick.receiveWhole(into: &message) == .message)
        #expect(message.array == bytes("quick"))

        // Every message that was taken arrives whole, and only those.
        for _ in 0..<sent {
            #expect(try slow.dealerHears() == .message)
            #expect(slow.message.count == payload.count)
        }
        #expect(try slow.dealer.receiveWhole(into: &message) == .nothing)
        let deadline = ContinuousClock.now + Patience.limit
        while try slow.router.send(to: slowPeer, bytes("there is room again")) == .wouldBlock, .now < deadline {
            try waitUntilReadable(slow.router, until: .now + .milliseconds(5))
        }
        #expect(try slow.dealerHears() == .message)
        #expect(slow.message.array == bytes("there is room again"))
    }

    /// Sends until the peer's queue stays full for a while, and says how much was taken.
    private func fill(_ router: borrowing Socket, _ peer: PeerID, _ payload: [UInt8]) throws -> Int {
        var sent = 0
        // Counted in looks at it, for time passes also while this thread has no processor.
        var looks = 0
        while looks < 25, sent < 10_000 {
            switch try router.send(to: peer, payload) {
            case .sent:
                sent += 1
                looks = 0
            case .wouldBlock:
                looks += 1
                var poller = Poller()
                _ = poller.add(router)
                try poller.wait(timeout: .milliseconds(20))
            case .unreachable:
                Issue.record("the peer went away")
                return sent
            }
        }
        return sent
    }

    @Test func anOversizeFrameEndsItsConnectionOnly() throws {
        var talk = try Conversation.begin(router: { try $0.set(.maxMessageSize, to: 1000) })
        let monitor = try talk.router.monitor()
        let other = try talk.context.socket(.dealer)
        try other.connect(try talk.router.lastEndpoint)
        _ = try other.send([UInt8](repeating: 2, count: 1000))
        #expect(try talk.routerHears() == .message)
        let count = talk.message.count
        #expect(count == 1000)
        let otherPeer = talk.peer

        #expect(try talk.dealer.send([UInt8](repeating: 1, count: 1001)) == .sent)
        #expect(try monitor.first { $0 == .disconnected } != nil)
        #expect(try talk.router.send(to: otherPeer, bytes("and you?")) == .sent)
        try waitUntilReadable(other)
        var message = Message()
        #expect(try other.receiveWhole(into: &message) == .message)
        let answer = message.array
        #expect(answer == bytes("and you?"))
    }
}
