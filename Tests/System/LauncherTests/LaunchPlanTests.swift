import Foundation
import MobiusLauncher
import MobiusProcess
import Testing

@Suite("From topology to processes")
struct LaunchPlanTests {
    private let stage: Stage
    private let finder: CommandFinder

    init() throws {
        stage = try Stage()
        for folder in ["beside", "file", "path"] {
            try FileManager.default.createDirectory(atPath: stage.path(folder), withIntermediateDirectories: true)
        }
        finder = CommandFinder(
            neighbours: stage.path("beside"), fileDirectory: stage.path("file"),
            searchPath: "relative:/nowhere:\(stage.path("path"))")
    }

    @Test("Neighbours of mobius win over PATH; paths are relative to the file")
    func lookup() throws {
        try stage.script("beside/both")
        try stage.script("path/both")
        try stage.script("path/other")
        try stage.script("file/local")
        #expect(try finder.find("both", key: "k") == stage.path("beside/both"))
        #expect(try finder.find("other", key: "k") == stage.path("path/other"))
        #expect(try finder.find("./local", key: "k") == stage.path("file/local"))
        #expect(try finder.find("../path/other", key: "k") == stage.path("path/other"))
        #expect(try finder.find(stage.path("path/both"), key: "k") == stage.path("path/both"))
    }

    @Test("What cannot be started is named with its key and the cure")
    func notFound() throws {
        try stage.write("path/plain", "no program")
        #expect(
            sentence("absent").contains(
                "pools.w: there is no 'absent' beside mobius (in \(stage.path("beside"))) or in PATH"))
        #expect(sentence("plain").contains("\(stage.path("path/plain")) is not executable; make it executable"))
        #expect(sentence("./absent").contains("\(stage.path("file/absent")) does not exist; correct the command"))
        #expect(sentence(stage.path("path")).contains("is a folder"))
    }

    private func sentence(_ command: String) -> String {
        let error = #expect(throws: FleetExit.self) { try finder.find(command, key: "pools.w") }
        #expect(error?.code == .unavailable)
        return error?.sentence ?? ""
    }

    @Test("Every replica is a process with its own name and the fleet's endpoint")
    func plan() throws {
        try stage.script("path/loop")
        try stage.script("path/work")
        var topology = Topology(name: "fleet", coordinator: .init(command: ["loop", "-v"], environment: ["A": "b"]))
        topology.pools = [Topology.Pool(name: "w", command: ["work", "x y"])]
        topology.pools[0].replicas = 2
        topology.pools[0].concurrency = 4
        topology.maximumPayload = 64 << 20
        let plan = try LaunchPlan(
            topology, endpoint: "ipc:///run/f", coordinatorArguments: ["--start", "it's"], finder: finder)
        #expect(plan.coordinator.arguments == ["-v", "--start", "it's"])
        #expect(
            plan.coordinator.environment == [
                "A": "b", "MOBIUS_BIND": "ipc:///run/f", "MOBIUS_CLIENT_BIND": "ipc:///run/f-client",
                "MOBIUS_CONNECT_CLIENT": "ipc:///run/f-client", "MOBIUS_MAX_PAYLOAD": "64MiB",
            ])
        #expect(plan.workers.map { "\($0.name)" } == ["w.1", "w.2"])
        #expect(
            plan.workers[1].environment == [
                "MOBIUS_CONNECT": "ipc:///run/f", "MOBIUS_CONCURRENCY": "4",
                "MOBIUS_CONNECT_CLIENT": "ipc:///run/f-client", "MOBIUS_DRAIN_TIMEOUT": "8s",
                "MOBIUS_MAX_PAYLOAD": "64MiB", "MOBIUS_POOL": "w",
            ])
        #expect(plan.coordinator.commandLine == stage.path("path/loop") + #" -v --start 'it'\''s'"#)
        #expect(
            plan.text.contains("w.2:\n  command: \"\(stage.path("path/work")) 'x y'\"\n  environment:\n    MOBIUS_CONC")
        )
    }

    @Test(
        "Workers hand back what they run before they would be killed for it",
        arguments: [("10s", "8s"), ("1m", "58s"), ("3s", "1500ms"), ("250ms", "125ms"), ("0", "0s")])
    func drain(grace: String, time: String) throws {
        try stage.script("path/loop")
        var topology = Topology(name: "fleet", coordinator: .init(command: ["loop"]))
        topology.pools = ["own", "fleet's"].map { Topology.Pool(name: $0, command: ["loop"]) }
        topology.stopGrace = try #require(DurationArgument(argument: grace)).duration
        topology.pools[0].process.stopGrace = .seconds(22)
        let plan = try LaunchPlan(topology, endpoint: "tcp://h:1", coordinatorArguments: [], finder: finder)
        #expect(plan.workers.map { $0.environment["MOBIUS_DRAIN_TIMEOUT"] } == ["20s", time])
        #expect(plan.coordinator.environment["MOBIUS_DRAIN_TIMEOUT"] == nil)
    }

    @Test("Clients are where the topology says, or nowhere")
    func clients() throws {
        try stage.script("path/loop")
        var topology = Topology(name: "fleet", coordinator: .init(command: ["loop"]))
        func environment() throws -> [String: String] {
            try LaunchPlan(topology, endpoint: "tcp://h:1", coordinatorArguments: [], finder: finder).coordinator
                .environment
        }
        #expect(try environment()["MOBIUS_CLIENT_BIND"] == "tcp://h:2")
        topology.clients = .at("ipc:///run/c")
        #expect(try environment()["MOBIUS_CLIENT_BIND"] == "ipc:///run/c")
        #expect(try environment()["MOBIUS_CONNECT_CLIENT"] == "ipc:///run/c")
        topology.clients = .nowhere
        #expect(try environment() == ["MOBIUS_BIND": "tcp://h:1", "MOBIUS_CLIENT_BIND": "none"])
    }

    @Test("The runtime folder is new, private, short enough, and goes away with its content")
    func runtimeDirectory() throws {
        let directory = try RuntimeDirectory(in: ["TMPDIR": stage.path("path")])
        let again = try RuntimeDirectory(in: ["TMPDIR": stage.path("path")])
        #expect(directory.path.hasPrefix(stage.path("path") + "/mobius-") && directory.path != again.path)
        let attributes = try FileManager.default.attributesOfItem(atPath: directory.path)
        #expect(attributes[.posixPermissions] as? Int == 0o700)
        #expect(EndpointRule.problem(with: directory.endpoint + "-client") == nil)
        try Data().write(to: URL(fileURLWithPath: directory.path + "/fleet"))
        directory.remove()
        #expect(!FileManager.default.fileExists(atPath: directory.path))
    }

    @Test("A folder that is too long or not there is passed over")
    func runtimeFallback() throws {
        let long = "/tmp/" + String(repeating: "x", count: 90)
        let directory = try RuntimeDirectory(in: ["XDG_RUNTIME_DIR": "/nowhere/at/all", "TMPDIR": long])
        defer { directory.remove() }
        #expect(directory.path.hasPrefix("/tmp/mobius-"))
        // The longest folder that leaves room for both sockets: 107 less "/mobius-XXXXXX/fleet-client".
        let longest = "/tmp/" + String(repeating: "x", count: 107 - 27 - 5)
        #expect(RuntimeDirectory.exampleEndpoint(in: ["TMPDIR": longest]).hasPrefix("ipc://\(longest)/"))
        #expect(RuntimeDirectory.exampleEndpoint(in: ["TMPDIR": longest + "x"]).hasPrefix("ipc:///tmp/mobius"))
    }

    @Test("A folder that is named is the only one")
    func runtimeNamed() throws {
        let named = ["MOBIUS_RUNTIME_DIR": stage.path(""), "TMPDIR": "/tmp"]
        let directory = try RuntimeDirectory(in: named)
        #expect(directory.path.hasPrefix(stage.path("") + "/mobius-"))
        directory.remove()
        let nowhere = ["MOBIUS_RUNTIME_DIR": "/nowhere/at/all", "TMPDIR": "/tmp"]
        #expect(RuntimeDirectory.exampleEndpoint(in: nowhere).hasPrefix("ipc:///nowhere/at/all/mobius-"))
        let error = #expect(throws: FleetExit.self) { try RuntimeDirectory(in: nowhere) }
        #expect(error?.sentence.contains("can be made in /nowhere/at/all; set MOBIUS_RUNTIME_DIR") == true)
    }
}
