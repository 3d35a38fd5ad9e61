import FleetTestSupport
import MobiusTransport
import TestTraits
import Testing

@Suite(.ownThread)
struct MonitorTests {
    @Test func bothSidesTellOfAConnectionFromBeginningToEnd() throws {
        let context = Context()
        let router = try context.socket(.router)
        let routerMonitor = try router.monitor()
        try router.bind("tcp://127.0.0.1:*")
        let endpoint = try router.lastEndpoint
        #expect(try routerMonitor.first { $0 == .listening }?.endpoint == endpoint)

        let dealer = try context.socket(.dealer)
        let dealerMonitor = try dealer.monitor()
        try dealer.connect(endpoint)
        #expect(try dealerMonitor.first { $0 == .connected }?.endpoint == endpoint)
        #expect(try dealerMonitor.first { $0 == .handshakeSucceeded } != nil)
        #expect(try routerMonitor.first { $0 == .accepted } != nil)
        #expect(try routerMonitor.first { $0 == .handshakeSucceeded } != nil)

        try dealer.disconnect(endpoint)
        var end: MonitorEvent?
        let deadline = ContinuousClock.now + Patience.limit
        while end == nil, .now < deadline {
            try waitUntilReadable(dealer, until: .now)  // lets libzmq carry it out
            end = try routerMonitor.first(within: .milliseconds(5)) { $0 == .disconnected }
        }
        #expect(end != nil)
    }

    @Test func aConnectionThatNobodyAcceptsIsRetried() throws {
        let dealer = try Context().socket(.dealer)
        try dealer.set(.reconnectInterval, to: .milliseconds(10))
        let monitor = try dealer.monitor()
        try dealer.connect("tcp://127.0.0.1:1")
        #expect(try monitor.first { $0 == .connectDelayed } != nil)
        let retry = try #require(try monitor.first { $0 == .connectRetried })
        #expect(retry.value >= 10)
        #expect(retry.description.hasPrefix("connectRetried tcp://127.0.0.1:1"))
    }

    @Test func aPeerOfAForeignPatternIsTurnedAway() throws {
        let talk = try Conversation.begin()
        let monitor = try talk.router.monitor()
        let publisher = try talk.context.socket(.publisher)
        try publisher.connect(try talk.router.lastEndpoint)
        let end = try monitor.first { $0 == .handshakeSucceeded || $0 == .disconnected }
        #expect(end?.kind == .disconnected)
    }

    @Test func aPeerThatSpeaksAnotherProtocolFailsItsHandshake() throws {
        var talk = try Conversation.begin()
        let monitor = try talk.router.monitor()
        let stranger = try talk.context.socket(.stream)
        try stranger.connect(try talk.router.lastEndpoint)
        var frame = Message()
        try waitUntilReadable(stranger)
        #expect(try stranger.receive(into: &frame))  // the name of the connection
        let name = frame.array
        #expect(try stranger.send(name, more: true) == .sent)
        // A greeting of ZMTP 3 with a security mechanism that does not exist.
        let signature: [UInt8] = [0xFF, 0, 0, 0, 0, 0, 0, 0, 1, 0x7F, 3, 0]
        let rest = [UInt8](repeating: 0, count: 44)
        #expect(try stranger.send(signature + bytes("NONSENSE") + rest) == .sent)
        let failure = try monitor.first { if case .handshakeFailed = $0 { true } else { false } }
        #expect(failure?.kind == .handshakeFailed(.protocolError))

        #expect(try talk.dealer.send(bytes("still fine")) == .sent)
        #expect(try talk.routerHears() == .message)
    }

    @Test func aSocketHasOneMonitorAtATime() throws {
        let dealer = try Context().socket(.dealer)
        do {
            let first = try dealer.monitor()
            #expect(throws: ZeroMQError.self) { _ = try dealer.monitor() }
            #expect(try first.next() == nil)
        }
        let second = try dealer.monitor()
        #expect(try second.next() == nil)
    }

    @Test func theSocketWorksOnWhenItsMonitorHasGone() throws {
        var talk = try Conversation.begin()
        do { _ = try talk.router.monitor() }
        // Each of these makes events that nobody reads.
        for number in 0..<50 {
            let dealer = try talk.context.socket(.dealer)
            try dealer.connect(try talk.router.lastEndpoint)
            #expect(try dealer.send(bytes("\(number)")) == .sent)
            #expect(try talk.routerHears() == .message)
        }
    }

    @Test func theMonitorTellsThatItsSocketHasGone() throws {
        let context = Context()
        let monitor = try soonClosed(in: context)
        #expect(try monitor.first { $0 == .monitorStopped } != nil)
    }

    private func soonClosed(in context: Context) throws -> SocketMonitor {
        let socket = try context.socket(.router)
        try socket.bind("tcp://127.0.0.1:*")
        return try socket.monitor()
    }

    @Test func eventsThatNobodyReadsHoldNothingUp() throws {
        var talk = try Conversation.begin()
        let monitor = try talk.router.monitor()
        // Four events each: far more than a queue of libzmq's takes by default.
        for _ in 0..<1000 {
            let dealer = try talk.context.socket(.dealer)
            try dealer.connect(try talk.router.lastEndpoint)
            #expect(try dealer.send(bytes("hello")) == .sent)
            #expect(try talk.routerHears() == .message)
        }
        #expect(try monitor.first { $0 == .accepted } != nil)
    }
}
