import Testing
import ZeroMQ

/// Why nothing is reached at an endpoint.
struct EndpointProbeTests {
    @Test func theSystemsReason() {
        #expect(EndpointProbe.problem(at: "tcp://127.0.0.1:1") == "Connection refused")
        #expect(EndpointProbe.problem(at: "tcp://[::1]:1") != nil)
        #expect(EndpointProbe.problem(at: "ipc:///no/such/folder/s") == "No such file or directory")
        #expect(EndpointProbe.problem(at: "tcp://no-such-host.invalid:1")?.hasPrefix("no-such-host.invalid: ") == true)
        #expect(EndpointProbe.problem(at: "inproc://a") == nil)
    }

    @Test func onlyTheSystemRefuses() throws {
        #expect(EndpointProbe.isRefused(at: "tcp://127.0.0.1:1"))
        #expect(!EndpointProbe.isRefused(at: "ipc:///no/such/folder/s"), "a path of another host, perhaps")
        #expect(!EndpointProbe.isRefused(at: "tcp://no-such-host.invalid:1"))
    }

    @Test func nothingWhereSomethingListens() throws {
        let context = Context()
        let socket = try context.socket(.router)
        try socket.bind("tcp://127.0.0.1:*")
        #expect(EndpointProbe.problem(at: try socket.lastEndpoint) == nil)
        #expect(!EndpointProbe.isRefused(at: try socket.lastEndpoint))
    }
}
