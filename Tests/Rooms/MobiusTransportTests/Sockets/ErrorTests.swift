import FleetTestSupport
import MobiusTransport
import Testing

@Suite struct ErrorTests {
    @Test func anEndpointInUse() throws {
        let context = Context()
        let first = try context.socket(.router)
        try first.bind("tcp://127.0.0.1:*")
        let endpoint = try first.lastEndpoint
        let second = try context.socket(.router)
        let error = #expect(throws: ZeroMQError.self) { try second.bind(endpoint) }
        #expect(error?.code == .addressInUse)
        #expect(
            error?.description == "Could not bind \"\(endpoint)\": Address already in use. "
                + "Stop the process that listens there, or choose another endpoint.")

        try first.unbind(endpoint)
        let deadline = ContinuousClock.now + Patience.limit
        var isBound = false
        while !isBound, .now < deadline { isBound = (try? second.bind(endpoint)) != nil }
        #expect(isBound)
    }

    @Test(arguments: [
        ("nonsense", ZeroMQError.Code.invalidArgument, "Endpoints look like tcp://127.0.0.1:5701"),
        ("", .invalidArgument, "Endpoints look like"),
        ("tcp://127.0.0.1:99999", .invalidArgument, "Endpoints look like"),
        ("tcp://127.0.0.1:-5", .invalidArgument, "Endpoints look like"),
        ("gopher://127.0.0.1:70", .protocolNotSupported, "Use tcp://"),
        ("tcp://no.such.interface:5701", .noSuchDevice, "Use an address of this machine"),
        ("tcp://192.0.2.1:5701", .addressNotAvailable, "Use an address of this machine"),
        ("ipc:///no/such/directory/socket", .noSuchEndpoint, "Check that the directory exists"),
        ("ipc:///tmp/" + String(repeating: "x", count: 108), .nameTooLong, "at most 107 bytes"),
        ("ipc:///tmp/" + String(repeating: "x/", count: 200), .nameTooLong, "at most 107 bytes"),
    ])
    func anEndpointThatCannotBeBound(endpoint: String, code: ZeroMQError.Code, advice: String) throws {
        let router = try Context().socket(.router)
        let error = try #require(throws: ZeroMQError.self) { try router.bind(endpoint) }
        #expect(error.code == code)
        #expect(error.description.contains(advice))
        #expect(error.description.contains("\"\(endpoint)\""))
    }

    @Test(arguments: ["nonsense", "tcp://127.0.0.1:*", "tcp://127.0.0.1:0", "tcp://127.0.0.1:65536", "tcp://[::1]"])
    func anEndpointThatCannotBeConnectedTo(endpoint: String) throws {
        let dealer = try Context().socket(.dealer)
        let error = try #require(throws: ZeroMQError.self) { try dealer.connect(endpoint) }
        #expect(error.code == .invalidArgument)
        #expect(error.description.hasPrefix("Could not connect to \"\(endpoint)\": Invalid argument. Endpoints look"))
    }

    @Test func anEndpointThatWasNeverBound() throws {
        let router = try Context().socket(.router)
        let unbind = #expect(throws: ZeroMQError.self) { try router.unbind("tcp://127.0.0.1:5701") }
        #expect(unbind?.code == .noSuchEndpoint)
        let disconnect = #expect(throws: ZeroMQError.self) { try router.disconnect("tcp://127.0.0.1:5701") }
        #expect(disconnect?.code == .noSuchEndpoint)
    }

    @Test func sendingOutOfTurn() throws {
        let request = try Context().socket(.request)
        try request.bind("inproc://turns")
        var message = Message()
        let error = #expect(throws: ZeroMQError.self) { _ = try request.receive(into: &message) }
        #expect(error?.code == .wrongState)
    }

    @Test func anErrorOfACodeWithoutAdvice() {
        let error = ZeroMQError(.init(rawValue: 9), "do it")
        #expect(error.description == "Could not do it: Bad file descriptor.")
    }
}
