import FleetTestSupport
import MobiusTransport
import Testing

@Suite struct ContextTests {
    @Test func unsentMessagesDoNotHoldAContext() throws {
        let context = Context()
        try leaveUnsent(in: context)
        let begin = ContinuousClock.now
        context.terminate()
        #expect(ContinuousClock.now - begin < .seconds(10))
    }

    private func leaveUnsent(in context: Context, linger: Duration? = .zero) throws {
        let dealer = try context.socket(.dealer)
        #expect(try dealer.get(.linger) == .zero)
        try dealer.set(.linger, to: linger)
        try dealer.connect("tcp://127.0.0.1:1")
        #expect(try dealer.send(bytes("nobody will hear this")) == .sent)
    }

    @Test func lingerBoundsHowLongAContextWaits() throws {
        let context = Context()
        try leaveUnsent(in: context, linger: .milliseconds(200))
        let begin = ContinuousClock.now
        context.terminate()
        #expect(ContinuousClock.now - begin >= .milliseconds(100))
        #expect(ContinuousClock.now - begin < .seconds(10))
    }

    @Test func lingerDeliversWhatWasSentBeforeClosing() throws {
        let context = Context()
        let pull = try context.socket(.pull)
        try pull.bind("tcp://127.0.0.1:*")
        let last = 1000
        do {
            let push = try context.socket(.push)
            try push.set(.linger, to: .seconds(20))
            try push.set(.sendHighWaterMark, to: 0)
            try push.connect(try pull.lastEndpoint)
            for number in 0...last { #expect(try push.send(bytes("\(number)")) == .sent) }
        }
        var message = Message()
        for number in 0...last {
            while try !pull.receive(into: &message) { try waitUntilReadable(pull) }
            #expect(message.array == bytes("\(number)"))
        }
    }

    @Test func socketsOfOtherThreadsAreToldAndAwaited() throws {
        let context = Context()
        let isWaiting = WakeUp()
        let thread = SocketThread(name: "waits")
        thread.start {
            let error = #expect(throws: ZeroMQError.self) {
                let socket = try context.socket(.pull)
                var poller = Poller()
                _ = poller.add(socket)
                isWaiting.signal()
                try poller.wait(timeout: Patience.limit)
            }
            #expect(error?.code == .terminated)
        }
        var poller = Poller()
        _ = poller.add(isWaiting)
        #expect(try poller.wait(timeout: Patience.limit) == 1)
        context.terminate()
        thread.join()

        context.terminate()  // again, which does nothing
        let error = #expect(throws: ZeroMQError.self) { _ = try context.socket(.pull) }
        #expect(error?.code == .terminated)
        #expect(context.maxSockets == 0)
    }

    @Test func aContextLivesAsLongAsItsSockets() throws {
        let (first, second) = ("inproc://first", Context())
        let pull = try second.socket(.pull)
        try pull.bind(first)
        weak let context = second
        _ = consume second
        #expect(context != nil)
        let push = try #require(context).socket(.push)
        try push.connect(first)
        #expect(try push.send(bytes("still here")) == .sent)
    }

    @Test func aContextHasRoomForAsManySocketsAsAsked() throws {
        let context = Context(ioThreads: 1, maxSockets: 2)
        #expect(context.maxSockets == 2)
        let first = try context.socket(.pull)
        let second = try context.socket(.pull)
        let error = #expect(throws: ZeroMQError.self) { _ = try context.socket(.pull) }
        #expect(error?.code == .tooManySockets)
        first.close()
        // Its place is free again once libzmq's reaper has been by.
        let deadline = ContinuousClock.now + Patience.limit
        var isOpen = false
        while !isOpen, .now < deadline { isOpen = (try? context.socket(.pull)) != nil }
        #expect(isOpen)
        second.close()
    }
}
