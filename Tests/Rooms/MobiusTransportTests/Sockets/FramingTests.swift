import MobiusTransport
import TestTraits
import Testing

@Suite(.ownThread)
struct FramingTests {
    @Test func aRouterDrainsMessagesOfSeveralFrames() throws {
        var talk = try Conversation.begin()
        try send(["a", "b", "c"], on: talk.dealer)
        #expect(try talk.dealer.send(bytes("whole")) == .sent)
        let expected = talk.peer

        #expect(try talk.routerHears() == .malformed(frames: 3))
        #expect(talk.peer == expected)
        #expect(talk.message.count == 0)
        #expect(try talk.routerHears() == .message)
        #expect(talk.message.array == bytes("whole"))
    }

    @Test func aDealerDrainsMessagesOfSeveralFrames() throws {
        let context = Context()
        let push = try context.socket(.dealer)
        let pull = try context.socket(.dealer)
        try pull.bind("inproc://frames")
        try push.connect("inproc://frames")
        try send(["", "b"], on: push)
        try send(["whole"], on: push)

        var message = Message()
        try waitUntilReadable(pull)
        #expect(try pull.receiveWhole(into: &message) == .malformed(frames: 2))
        #expect(try pull.receiveWhole(into: &message) == .message)
        #expect(message.array == bytes("whole"))
        #expect(try pull.receiveWhole(into: &message) == .nothing)
        #expect(message.count == 0)
    }

    @Test func framesOfAMessageCanBeReadOneByOne() throws {
        let context = Context()
        let push = try context.socket(.push)
        let pull = try context.socket(.pull)
        try pull.bind("inproc://frames")
        try push.connect("inproc://frames")
        try send(["a", "b"], on: push)

        var message = Message()
        try waitUntilReadable(pull)
        #expect(try pull.receive(into: &message))
        #expect(message.array == bytes("a"))
        let more = message.more
        #expect(more)
        #expect(try pull.receive(into: &message))
        #expect(message.array == bytes("b"))
        let hasMore = message.more
        #expect(!hasMore)
    }

    @Test func aPeerOfAnotherPatternIsHeardAsMalformed() throws {
        var talk = try Conversation.begin()
        let request = try talk.context.socket(.request)
        try request.connect(try talk.router.lastEndpoint)
        #expect(try request.send(bytes("please")) == .sent)
        #expect(try talk.routerHears() == .malformed(frames: 2))  // an empty frame comes first
    }

    @Test func framingHoldsOverThousandsOfMessages() throws {
        var talk = try Conversation.begin()
        var random = SystemRandomNumberGenerator()
        let shapes = (0..<20_000).map { _ in
            UInt8.random(in: 0..<5, using: &random) == 0 ? Int.random(in: 2...6, using: &random) : 1
        }
        var next = 0
        for (number, frames) in shapes.enumerated() {
            for frame in 1...frames { try sendWaiting("\(number)", more: frame < frames, on: talk.dealer) }
            // Heard in between, so that neither side's queue fills up for good.
            while number - next >= 500 { try hear(next, of: shapes, &talk, &next) }
        }
        while next < shapes.count { try hear(next, of: shapes, &talk, &next) }
        #expect(try talk.routerHears(within: .zero) == .nothing)
    }

    private func hear(_ number: Int, of shapes: [Int], _ talk: inout Conversation, _ next: inout Int) throws {
        let heard = try talk.routerHears()
        if shapes[number] == 1 {
            try #require(heard == .message)
            try #require(talk.message.array == bytes("\(number)"))
        } else {
            try #require(heard == .malformed(frames: shapes[number]))
        }
        next += 1
    }

    private func sendWaiting(_ text: String, more: Bool, on socket: borrowing Socket) throws {
        while try socket.send(bytes(text), more: more) == .wouldBlock { try waitUntilWritable(socket) }
    }

    private func send(_ frames: [String], on socket: borrowing Socket) throws {
        for (index, frame) in frames.enumerated() {
            let result = try socket.send(bytes(frame), more: index < frames.count - 1)
            try #require(result == .sent)
        }
    }
}
