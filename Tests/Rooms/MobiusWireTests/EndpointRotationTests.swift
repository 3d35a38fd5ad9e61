import MobiusWire
import Testing

@Suite("Which endpoint is tried next")
struct EndpointRotationTests {
    @Test("front doors take turns; one endpoint is no cluster until MOVED comes")
    func turns() {
        var rotation = EndpointRotation(["a", "b", "c"])
        #expect(rotation.isCluster && rotation.endpoint == "a")
        for door in ["b", "c", "a"] {
            #expect(rotation.goOn(.refused) == .short)
            #expect(rotation.endpoint == door)
        }
        var single = EndpointRotation(["a"])
        #expect(!single.isCluster)
        #expect(single.move(to: nil) == .short)
        #expect(single.isCluster && single.endpoint == "a")
        #expect(EndpointRotation().endpoint == nil)
    }

    @Test("the owner is followed at once, and forgotten when it is left")
    func owner() {
        var rotation = EndpointRotation(["a", "b"])
        #expect(rotation.move(to: "o") == .none)
        #expect(rotation.endpoint == "o")
        rotation.reached()
        #expect(rotation.goOn(.lost) == .none)
        #expect(rotation.endpoint == "b" && rotation.owner == nil)
        #expect(rotation.goOn(.refused) == .none, "each front door once")
        #expect(rotation.goOn(.refused) == .short)
        _ = rotation.move(to: "o")
        rotation.reached()
        #expect(rotation.goOn(.lost) == .none)
        #expect(rotation.goOn(.silent) == .short)
    }

    @Test("owners that name one another are followed three times at most, and with pauses")
    func hops() {
        var rotation = EndpointRotation(["a", "b"])
        let pauses = ["o", "p", "o", "p", "o"].map { rotation.move(to: $0) }
        #expect(pauses == [.none, .short, .short, .short, .none])
        #expect(rotation.endpoint == "o")
    }

    @Test("only an owner that is silent again and again gets more time, until one is reached")
    func patience() {
        var rotation = EndpointRotation(["a", "b"])
        for _ in 1...40 { _ = rotation.goOn(.silent) }
        #expect(rotation.patience == .seconds(1))
        for _ in 1...40 {
            _ = rotation.move(to: "o")
            _ = rotation.goOn(.silent)
        }
        #expect(rotation.patience == .seconds(1))
        _ = rotation.move(to: "o")
        #expect(rotation.patience == .seconds(4))
        rotation.reached()
        #expect(rotation.patience == .seconds(1))
    }

    @Test("pauses are random between 100 and 250 ms")
    func pauses() {
        #expect(EndpointRotation.duration(of: .none, drawing: .max) == .zero)
        #expect(EndpointRotation.duration(of: .short, drawing: 0) == .milliseconds(100))
        for bits in [1, 150_000, 150_001, UInt64.max] {
            let pause = EndpointRotation.duration(of: .short, drawing: bits)
            #expect(pause >= .milliseconds(100) && pause <= .milliseconds(250))
        }
    }

    @Test(
        "a list has commas between its endpoints",
        arguments: [
            ("tcp://a:1", ["tcp://a:1"]), ("tcp://a:1,tcp://b:2", ["tcp://a:1", "tcp://b:2"]),
            (" tcp://a:1 , tcp://b:2 ,, tcp://a:1,", ["tcp://a:1", "tcp://b:2"]), ("", [""]), (",", [","]),
            ("ipc:///run/a,b", ["ipc:///run/a,b"]), ("ipc:///a,ipc:///b", ["ipc:///a", "ipc:///b"]),
            ("tcp://a:1,b:2", ["tcp://a:1", "b:2"]),
        ])
    func lists(list: String, endpoints: [String]) {
        #expect(EndpointRotation.endpoints(in: list) == endpoints)
    }

    @Test("each of several must be one that peers can connect to")
    func problems() {
        #expect(EndpointRotation.problem(in: ["tcp://a:1", "ipc:///run/b"]) == nil)
        #expect(EndpointRotation.problem(in: ["inproc://a"]) == nil)
        #expect(EndpointRotation.problem(in: ["tcp://a:1", "b:2"])?.hasPrefix("'b:2'") == true)
    }
}
