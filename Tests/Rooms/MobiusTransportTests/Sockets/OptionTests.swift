import MobiusTransport
import Testing

@Suite struct OptionTests {
    @Test func everySettingReadsAsItWasSet() throws {
        let socket = try Context().socket(.dealer)
        try check(socket, .linger, [nil, .zero, .seconds(3)])
        try check(socket, .sendHighWaterMark, [0, 1, 100_000])
        try check(socket, .receiveHighWaterMark, [0, 1, 100_000])
        try check(socket, .backlog, [0, 1024])
        try check(socket, .maxMessageSize, [nil, 0, 5_000_000_000])
        try check(socket, .immediate, [true, false])
        try check(socket, .heartbeatInterval, [.seconds(1), nil])
        #expect(try socket.get(.heartbeatTimeout) == nil)
        try check(socket, .heartbeatTimeout, [.seconds(3), .zero])
        try check(socket, .heartbeatTimeToLive, [.seconds(3), nil])
        try check(socket, .reconnectInterval, [.milliseconds(10), nil])
        try check(socket, .reconnectIntervalMax, [.seconds(1), nil])
        try check(socket, .handshakeInterval, [.seconds(5), nil])
        try check(socket, .connectTimeout, [.seconds(5), nil])
        try check(socket, .confirmationTimeout, [.seconds(5), nil])
        try check(socket, .zapDomain, ["fleet"])
        try check(socket, .zapEnforceDomain, [true, false])
    }

    private func check<Value: Equatable>(
        _ socket: borrowing Socket, _ option: SocketOption<Value>, _ values: [Value]
    ) throws {
        for value in values {
            try socket.set(option, to: value)
            #expect(try socket.get(option) == value)
        }
    }

    @Test func fractionsOfAMillisecondAreRoundedUp() throws {
        let socket = try Context().socket(.dealer)
        try socket.set(.linger, to: .microseconds(1))
        #expect(try socket.get(.linger) == .milliseconds(1))
    }

    @Test func impossibleValuesAreRefusedWithAnExplanation() throws {
        let socket = try Context().socket(.dealer)
        let tooMany = #expect(throws: ZeroMQError.self) { try socket.set(.sendHighWaterMark, to: 1 << 40) }
        #expect(tooMany?.code == .invalidArgument)
        #expect(tooMany?.description.contains("set sendHighWaterMark to 1099511627776 on a dealer socket") == true)
        let negative = #expect(throws: ZeroMQError.self) { try socket.set(.linger, to: .seconds(-1)) }
        #expect(negative?.code == .invalidArgument)
        let tooLong = #expect(throws: ZeroMQError.self) { try socket.set(.linger, to: .seconds(1 << 40)) }
        #expect(tooLong?.code == .invalidArgument)
        let foreign = #expect(throws: ZeroMQError.self) { try socket.set(.routerMandatory, to: true) }
        #expect(foreign?.code == .invalidArgument)
    }

    @Test func aChosenRoutingIDOfAnyLengthNamesThePeer() throws {
        for length in [1, 5, 15, 16, 17, 255] {
            let name = [UInt8](repeating: UInt8(length), count: length)
            var talk = try Conversation.begin(dealer: { try $0.set(.routingID, to: name) })
            #expect(talk.peer.bytes == name)
            #expect(talk.peer == PeerID(name))
            #expect(try talk.router.send(to: talk.peer, bytes("you")) == .sent)
            #expect(try talk.dealerHears() == .message)
        }
    }
}
