import Foundation
import MobiusLauncher
import MobiusProcess
import Testing

@Suite("Topology files")
struct TopologyTests {
    @Test("The whole vocabulary")
    func everything() throws {
        let text = """
            name: site-audit
            endpoint: tcp://127.0.0.1:5701
            max-payload: 64MiB
            stop-grace: 250ms
            coordinator:
              command: [site-audit, --depth, 3]
              environment: {MOBIUS_LOG_LEVEL: debug, EMPTY: "", YES: on, PORT: 8080}
            pools:
              report-writer: {command: [./writer]}
              page-fetcher:
                command: [page-fetcher]
                replicas: 2
                concurrency: 32
                environment:
                  A: b c
            """
        var expected = Topology(name: "site-audit", coordinator: Self.coordinator(["site-audit", "--depth", "3"]))
        expected.endpoint = "tcp://127.0.0.1:5701"
        expected.maximumPayload = 64 << 20
        expected.stopGrace = .milliseconds(250)
        expected.coordinator.environment = ["MOBIUS_LOG_LEVEL": "debug", "EMPTY": "", "YES": "on", "PORT": "8080"]
        var fetcher = Topology.Pool(name: "page-fetcher", command: ["page-fetcher"])
        fetcher.replicas = 2
        fetcher.concurrency = 32
        fetcher.process.environment = ["A": "b c"]
        expected.pools = [Topology.Pool(name: "report-writer", command: ["./writer"]), fetcher]
        #expect(try TopologyReader.parse(text, file: "fleet.yaml") == expected)
    }

    @Test("The least that works, and its defaults")
    func least() throws {
        let topology = try TopologyReader.parse("coordinator: {command: [loop]}", file: "some/where/demo.yaml")
        #expect(topology == Topology(name: "demo", coordinator: Self.coordinator(["loop"])))
        #expect(topology.stopGrace == .seconds(10) && topology.endpoint == nil)
        let pool = try TopologyReader.parse("coordinator: {command: [c]}\npools: {p: {command: [w]}}", file: "f").pools[
            0]
        #expect(pool.replicas == 1 && pool.concurrency == nil)
    }

    /// A coordinator as the reader makes it of a command alone.
    static func coordinator(_ command: [String]) -> Topology.Process {
        var process = Topology.Process(command: command)
        process.restart.condition = .onCrash
        return process
    }

    @Test("Anchors and comments work; a pool may have no replicas")
    func anchors() throws {
        let text = """
            coordinator: {command: [c]}   # the loop
            pools:
              a: &a {command: [w], replicas: 0}
              b: *a
            """
        let topology = try TopologyReader.parse(text, file: "f.yaml")
        #expect(topology.pools.map(\.name) == ["a", "b"])
        #expect(topology.pools.map(\.replicas) == [0, 0])
    }

    @Test("Clients are beside the workers, elsewhere or nowhere")
    func clients() throws {
        func clients(_ line: String) throws -> Topology.Clients {
            try TopologyReader.parse("coordinator: {command: [c]}\n" + line, file: "f").clients
        }
        #expect(try clients("endpoint: tcp://h:1") == .beside)
        #expect(try clients("client-endpoint: tcp://h:2") == .at("tcp://h:2"))
        #expect(try clients("endpoint: tcp://h:65535\nclient-endpoint: none") == .nowhere)
        #expect(try clients("endpoint: ipc:///" + String(repeating: "a", count: 99)) == .beside)
    }

    private static let head = "coordinator: {command: [c]}\n"

    @Test(
        "Every mistake is answered with its place",
        arguments: [
            ("", "f.yaml: is empty; it needs at least a coordinator"),
            ("# nothing\n", "f.yaml: is empty; it needs at least a coordinator"),
            ("hello", "f.yaml:1:1: must be a mapping with the keys coordinator and pools, not 'hello'"),
            ("- a", "f.yaml:1:1: must be a mapping with the keys coordinator and pools, not a list"),
            ("pools: {}", "f.yaml:1:1: has no coordinator; add 'coordinator: {command: [your-coordinator]}'"),
            ("a: [", "f.yaml:2:1: is not valid YAML: did not find expected node content"),
            ("a: b: c", "f.yaml:1:5: is not valid YAML: mapping values are not allowed in this context"),
            (head + head, "f.yaml:1:1: has a key twice: coordinator"),
            (
                head + "pool: {}",
                "f.yaml:2:1: unknown key 'pool'; did you mean 'pools'? Allowed here: name, endpoint, client-endpoint, max-payload, stop-grace,"
            ),
            (
                head + "1: {}",
                "f.yaml:2:1: unknown key '1'; allowed here: name, endpoint, client-endpoint, max-payload, stop-grace, environment, coordinator, pools"
            ),
            (head + "[a]: {}", "f.yaml:2:1: unknown key that is not a plain word; allowed here: "),
            (
                head + "name: a b",
                "f.yaml:2:7: name: 'a b' is not a name; use up to 64 letters, digits, '-', '_' and '.'"
            ),
            (head + "name: [a]", "f.yaml:2:7: name: must be a name, not a list"),
            (head + "name:", "f.yaml:2:6: name: must be a name, not empty"),
            (
                head + "stop-grace: soon",
                "f.yaml:2:13: stop-grace: must be a length of time such as 10s, 250ms or 2m, not 'soon'"
            ),
            (
                head + "max-payload: 5MB",
                "f.yaml:2:14: max-payload: must be a size such as 4MiB, 512KiB or a number of bytes, from 1KiB to 256MiB, not '5MB'"
            ),
            (head + "max-payload: 1023", "from 1KiB to 256MiB, not '1023'"),
            (head + "max-payload: 1GiB", "from 1KiB to 256MiB, not '1GiB'"),
            (head + "stop-grace: -1", "f.yaml:2:13: stop-grace: must be a length of time"),
            (
                head + "endpoint: here",
                "f.yaml:2:11: endpoint: must be tcp://HOST:PORT or ipc:///ABSOLUTE/PATH, not 'here'"
            ),
            (
                head + "endpoint: tcp://h:65535",
                "f.yaml:2:11: endpoint: leaves no room for the clients' endpoint, which is the next port or the path"
            ),
            (
                head + "endpoint: ipc:///" + String(repeating: "a", count: 100),
                "f.yaml:2:11: endpoint: leaves no room for the clients' endpoint"
            ),
            (
                head + "client-endpoint: here",
                "f.yaml:2:18: client-endpoint: must be tcp://HOST:PORT or ipc:///ABSOLUTE/PATH, not 'here'"
            ),
            (
                head + "client-endpoint: tcp://*:1",
                "f.yaml:2:18: client-endpoint: must name an address that clients can"
            ),
            ("coordinator: c", "f.yaml:1:14: coordinator: must be a mapping with the key command, not 'c'"),
            (
                head + "pools: {coordinator: {command: [w]}}",
                "f.yaml:2:22: pools.coordinator: is what commands call the coordinator; give the pool another name"
            ),
            ("coordinator: {}", "f.yaml:1:14: coordinator: has no command; add 'command: […]'"),
            ("coordinator:", "f.yaml:1:13: coordinator: must be a mapping with the key command, not empty"),
            (
                "coordinator: {command: c -v}",
                "f.yaml:1:24: coordinator.command: must be a list of words such as [site-audit, --quiet], not 'c -v'"
            ),
            ("coordinator: {command: []}", "f.yaml:1:24: coordinator.command: must be a list of words"),
            (#"coordinator: {command: [""]}"#, "f.yaml:1:24: coordinator.command: must be a list of words"),
            (
                "coordinator: {command: [c, [d]]}",
                "f.yaml:1:28: coordinator.command[1]: must be a word of the command, not a list"
            ),
            (
                "coordinator: {command: [c, ~]}",
                "f.yaml:1:28: coordinator.command[1]: must be a word of the command, not '~'"
            ),
            (
                "coordinator: {command: [c], replicas: 2}",
                "f.yaml:1:29: coordinator: unknown key 'replicas'; allowed here: command, environment, working-directory, stop-grace, restart, health, log"
            ),
            (
                "coordinator: {command: [c], environment: [A=b]}",
                "f.yaml:1:42: coordinator.environment: must be a mapping from variables to values, not a list"
            ),
            (
                "coordinator: {command: [c], environment: {A: }}",
                "coordinator.environment.A: must be a text; write \"\" for an empty one, not empty"
            ),
            (
                "coordinator: {command: [c], environment: {A: {b: c}}}",
                "f.yaml:1:46: coordinator.environment.A: must be a text; write \"\" for an empty one, not a mapping"
            ),
            (
                #"coordinator: {command: [c], environment: {"A=": b}}"#,
                "f.yaml:1:49: coordinator.environment.A=: is not a name for an environment variable"
            ),
            (
                "coordinator: {command: [c], environment: {MOBIUS_BIND: x}}",
                "f.yaml:1:56: coordinator.environment.MOBIUS_BIND: is set by mobius up itself; use the key 'endpoint'"
            ),
            (
                "coordinator: {command: [c], environment: {MOBIUS_CONNECT_CLIENT: x}}",
                "environment.MOBIUS_CONNECT_CLIENT: is set by mobius up itself; use the key 'client-endpoint'"
            ),
            (
                "coordinator: {command: [c], environment: {MOBIUS_DRAIN_TIMEOUT: 1m}}",
                "environment.MOBIUS_DRAIN_TIMEOUT: is set by mobius up itself; use the key 'stop-grace'"
            ),
            (
                "coordinator: {command: [c], environment: {MOBIUS_MAX_PAYLOAD: 8MiB}}",
                "environment.MOBIUS_MAX_PAYLOAD: is set by mobius up itself; use the key 'max-payload'"
            ),
            (
                "coordinator: {command: [c], environment: {MOBIUS_FLEET: x}}",
                "environment.MOBIUS_FLEET: is set by mobius up itself; use the key 'name'"
            ),
            (
                "coordinator: {command: [c], environment: {MOBIUS_RUN: x}}",
                "environment.MOBIUS_RUN: is set by mobius up itself; leave it out"
            ),
            (
                "coordinator: {command: [c], environment: {MOBIUS_CONTROL: x}}",
                "environment.MOBIUS_CONTROL: is set by mobius up itself; leave it out"
            ),
            (
                head + "pools: {p: {command: [w], environment: {MOBIUS_WORKER_NAME: x}}}",
                "environment.MOBIUS_WORKER_NAME: is set by mobius up itself; leave it out"
            ),
            (head + "pools: {1: {command: [w]}, \"1\": {command: [w]}}", "f.yaml:2:28: pools: has a key twice: 1"),
            (head + "pools: {p: {command: [w]}, !x p: {command: [w]}}", "pools: has a key twice: p"),
            ("coordinator: {command: [c]}\n!x coordinator: {command: [c]}", "has a key twice: coordinator"),
            (
                "coordinator: {command: [c], environment: {1: a, \"1\": b}}",
                "coordinator.environment: has a key twice: 1"
            ),
            (head + "pools: [a]", "f.yaml:2:8: pools: must be a mapping from pool names to pools, not a list"),
            (
                head + "pools: {a b: {command: [w]}}",
                "f.yaml:2:14: pools.a b: is not a name for a pool; use up to 64 letters"
            ),
            (
                head + "pools: {-a: {command: [w]}}",
                "f.yaml:2:13: pools.-a: is not a name for a pool; use up to 64 letters"
            ),
            (head + "pools: {w: w}", "f.yaml:2:12: pools.w: must be a mapping with the key command, not 'w'"),
            (head + "pools: {w: {}}", "f.yaml:2:12: pools.w: has no command; add 'command: […]'"),
            (
                head + "pools: {w: {command: [w], count: 2}}",
                "f.yaml:2:27: pools.w: unknown key 'count'; allowed here: command, environment, working-directory, stop-grace, restart, health, log, replicas, concurrency,"
            ),
            (
                head + "pools: {w: {command: [w], replicas: two}}",
                "f.yaml:2:37: pools.w.replicas: must be a whole number from 0 to 1000, or auto(1...8), not 'two'"
            ),
            (
                head + "pools: {w: {command: [w], replicas: -1}}",
                "must be a whole number from 0 to 1000, or auto(1...8), not '-1'"
            ),
            (
                head + "pools: {w: {command: [w], replicas: 1001}}",
                "must be a whole number from 0 to 1000, or auto(1...8), not '1001'"
            ),
            (
                head + "pools: {w: {command: [w], replicas: 1.5}}",
                "must be a whole number from 0 to 1000, or auto(1...8), not '1.5'"
            ),
            (
                head + "pools: {w: {command: [w], replicas: '2'}}",
                "must be a whole number from 0 to 1000, or auto(1...8), not '2'"
            ),
            (
                head + "pools: {w: {command: [w], replicas: [2]}}",
                "must be a whole number from 0 to 1000, or auto(1...8), not a list"
            ),
            (head + "pools: {w: {command: [w], concurrency: 0}}", "must be a whole number from 1 to 100000, not '0'"),
        ])
    func mistakes(text: String, message: String) {
        let error = #expect(throws: TopologyError.self) { try TopologyReader.parse(text, file: "f.yaml") }
        #expect(error?.description.contains(message) == true, "\(String(describing: error))")
    }

    @Test(
        "Endpoints",
        arguments: [
            ("tcp://127.0.0.1:5701", nil), ("tcp://[::1]:65535", nil), ("tcp://host:1", nil), ("ipc:///run/x", nil),
            ("tcp://127.0.0.1", "must be tcp://HOST:PORT"), ("tcp://:1", "must be tcp://HOST:PORT"),
            ("tcp://h:0", "a port from 1 to 65535"), ("tcp://h:65536", "a port from 1 to 65535"),
            ("tcp://h:x", "a port from 1 to 65535"), ("tcp://*:1", "workers can connect to"),
            ("tcp://0.0.0.0:1", "workers can connect to"), ("ipc://x", "ABSOLUTE/PATH"),
            ("udp://h:1", "must be tcp://"),
            ("ipc:///" + String(repeating: "a", count: 106), nil),
            ("ipc:///" + String(repeating: "a", count: 107), "108 bytes, but 107 is the most"),
        ] as [(String, String?)])
    func endpoints(endpoint: String, problem: String?) {
        let found = EndpointRule.problem(with: endpoint)
        if let problem {
            #expect(found?.contains(problem) == true, "\(found ?? "no problem")")
        } else {
            #expect(found == nil)
        }
    }

    @Test("A file that cannot be read is told apart from one that makes no sense")
    func files() throws {
        let stage = try Stage()
        let missing = #expect(throws: FleetExit.self) { try TopologyReader.read(file: stage.path("none.yaml")) }
        #expect(missing?.code == .noInput)
        #expect(missing?.sentence.contains("does not exist") == true)
        let folder = #expect(throws: FleetExit.self) { try TopologyReader.read(file: stage.path("")) }
        #expect(folder?.sentence.contains("cannot be read") == true)
        try Data([0x63, 0xFF, 0x3A]).write(to: URL(fileURLWithPath: stage.path("latin.yaml")))
        let latin = #expect(throws: TopologyError.self) { try TopologyReader.read(file: stage.path("latin.yaml")) }
        #expect(latin?.problem == "is not UTF-8 text")
    }
}
