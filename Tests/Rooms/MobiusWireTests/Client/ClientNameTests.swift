import MobiusWire
import Testing

@Suite("Names that clients use")
struct ClientNameTests {
    @Test(
        "an effect's name is read as it is printed",
        arguments: [("main", 6, 1), ("shop/42", 0, 0), ("a/1/2", UInt64.max, UInt32.max), ("/", 1, 1), ("7/8", 9, 10)])
    func effects(loop: String, sequence: UInt64, index: UInt32) throws {
        let id = EffectID(loop: try #require(LoopID(loop)), sequence: sequence, index: index)
        #expect(EffectID("\(id)") == id)
    }

    @Test(
        "anything else is none",
        arguments: [
            "", "main", "main/1", "/1/2", "main/1/", "main//1", "main/x/1", "main/1/x", "main/-1/0", "main/+1/0",
            "main/01/0", "main/1/00", "main/1/0 ", "main/1/4294967296", "main/18446744073709551616/0",
        ])
    func noEffects(text: String) {
        #expect(EffectID(text) == nil)
    }

    @Test(
        "a client's endpoint follows from the workers'",
        arguments: [
            ("tcp://127.0.0.1:5701", "tcp://127.0.0.1:5702"), ("tcp://*:5701", "tcp://*:5702"),
            ("tcp://[::1]:80", "tcp://[::1]:81"), ("tcp://127.0.0.1:*", "tcp://127.0.0.1:*"),
            ("tcp://eth0:0", "tcp://eth0:*"), ("ipc:///run/fleet/socket", "ipc:///run/fleet/socket-client"),
            ("ipc://*", "ipc://*"),
        ])
    func endpoints(workers: String, clients: String) {
        #expect(ClientEndpoint.beside(workers) == clients)
    }

    @Test(
        "where none follows it must be told",
        arguments: ["tcp://127.0.0.1:65535", "tcp://localhost", "tcp://host:x", "inproc://a", "", "nonsense"])
    func noEndpoints(workers: String) {
        #expect(ClientEndpoint.beside(workers) == nil)
    }
}
