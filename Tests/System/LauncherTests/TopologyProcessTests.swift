import Foundation
import MobiusCodec
import MobiusLauncher
import Testing

@Suite("Keys of processes in topology files")
struct TopologyProcessTests {
    private static func pool(_ keys: String) throws -> Topology.Pool {
        let text = "coordinator: {command: [c]}\npools:\n  w: {command: [w], \(keys)}"
        return try TopologyReader.parse(text, file: "f.yaml").pools[0]
    }

    @Test("All of them, on both kinds of processes")
    func everything() throws {
        let keys = """
            command: [run]
                working-directory: data
                stop-grace: 30s
                restart: {when: never, times: 3, within: 1m}
                health: {command: [check, --fast], every: 1s, timeout: 500ms, failures: 5, start: 20s}
                log: {prefix: fetch, colour: cyan}
            """
        let topology = try TopologyReader.parse(
            "environment: {A: 1}\nstop-grace: 5s\ncoordinator:\n    \(keys)\npools:\n  w:\n    \(keys)", file: "f.yaml")
        var expected = Topology.Process(command: ["run"])
        expected.workingDirectory = "data"
        expected.stopGrace = .seconds(30)
        expected.restart.condition = .never
        expected.restart.times = 3
        expected.restart.within = .seconds(60)
        var health = Topology.Health(.command(["check", "--fast"]))
        health.rule.every = .seconds(1)
        health.rule.timeout = .milliseconds(500)
        health.rule.failures = 5
        health.rule.start = .seconds(20)
        expected.health = health
        expected.log.prefix = "fetch"
        expected.log.colour = .cyan
        #expect(topology.coordinator == expected)
        #expect(topology.pools[0].process == expected)
        #expect(topology.environment == ["A": "1"] && topology.stopGrace == .seconds(5))
    }

    @Test("A word for a restart policy is enough", arguments: RestartPolicy.Condition.allCases)
    func restartWord(condition: RestartPolicy.Condition) throws {
        let policy = try Self.pool("restart: \(condition.rawValue)").process.restart
        #expect(policy.condition == condition)
        #expect(policy.times == 10 && policy.within == .seconds(60))
    }

    @Test(
        "Wrong values are answered with their place, what is allowed, and what was probably meant",
        arguments: [
            (
                "restart: on-fail",
                "3:30: pools.w.restart: must be one of always, on-failure, on-crash, never, or a mapping"
            ),
            ("restart: allways", "not 'allways'; did you mean 'always'?"),
            (
                "restart: {when: nevr}",
                "pools.w.restart.when: must be one of always, on-failure, on-crash, never, not 'nevr'"
            ),
            (
                "restart: {time: 3}",
                "pools.w.restart: unknown key 'time'; did you mean 'times'? Allowed here: when, times, within"
            ),
            ("restart: {times: many}", "pools.w.restart.times: must be a whole number from 0 to 100000, not 'many'"),
            (
                "restart: {within: 0s}",
                "within: must be a length of time such as 10s, 250ms or 2m, at least 1ms, not '0s'"
            ),
            ("restart: [always]", "pools.w.restart: must be one of always,"),
            ("health: curl", "pools.w.health: must be a mapping with the key command or http, not 'curl'"),
            ("health: {http: livez}", "pools.w.health.http: must be a path such as /livez"),
            ("health: {http: \"/a b\"}", "pools.w.health.http: must be a path such as /livez"),
            ("health: {http: [/a]}", "pools.w.health.http: must be a path such as /livez, not a list"),
            ("health: {http: /a, command: [c]}", "pools.w.health.http: does not go with command"),
            ("health: {every: 1s}", "pools.w.health: has no command; add 'command: […]'"),
            ("health: {command: [c], failures: 0}", "pools.w.health.failures: must be a whole number from 1 to 1000"),
            (
                "health: {command: [c], interval: 1s}",
                "unknown key 'interval'; allowed here: command, http, every, timeout,"
            ),
            (
                "log: {color: red}",
                "pools.w.log: unknown key 'color'; did you mean 'colour'? Allowed here: prefix, colour"
            ),
            ("log: {colour: purple}", "must be one of red, green, yellow, blue, magenta, cyan, none, not 'purple'"),
            (#"log: {prefix: "a\tb"}"#, "pools.w.log.prefix: must be a text of at most 64 columns without control"),
            ("working-directory: ''", "pools.w.working-directory: must be a folder, not empty"),
            ("working_directory: x", "unknown key 'working_directory'; did you mean 'working-directory'? Allowed"),
            ("Replicas: 2", "unknown key 'Replicas'; did you mean 'replicas'? Allowed"),
            ("replicas: auto", "pools.w.replicas: must be a whole number from 0 to 1000, or auto(1...8), not 'auto'"),
            ("replicas: auto(8...1)", "not 'auto(8...1)'"), ("replicas: '3'", "auto(1...8), not '3'"),
            ("scaling: {age: 1s}", "pools.w.scaling: needs 'replicas: auto(1...8)', or another range: a fixed number"),
            ("replicas: auto(0...2), scaling: {ages: 1s}", "did you mean 'age'? Allowed here: age, cooldown, idle"),
            ("ready-after: soon", "pools.w.ready-after: must be a length of time"),
            ("stop-grace: [1]", "pools.w.stop-grace: must be a length of time such as 10s, 250ms or 2m, not a list"),
        ])
    func mistakes(keys: String, message: String) {
        let error = #expect(throws: TopologyError.self) { try Self.pool(keys) }
        #expect(error?.line == 3)
        #expect(error?.description.contains(message) == true, "\(String(describing: error))")
    }

    @Test("Workers as many as the work needs")
    func automatic() throws {
        let pool = try Self.pool("replicas: auto(0...8), scaling: {age: 1s, cooldown: 2s, idle: 3s}, ready-after: 4s")
        #expect(pool.replicas == .auto(0...8) && pool.readyAfter == .seconds(4))
        var rule = AutoScaler.Rule()
        (rule.age, rule.cooldown, rule.idle) = (.seconds(1), .seconds(2), .seconds(3))
        #expect(pool.scaling == rule)
        let deaf =
            "client-endpoint: none\ncoordinator: {command: [c]}\npools: {w: {command: [w], replicas: auto(1...2)}}"
        let error = #expect(throws: TopologyError.self) { try TopologyReader.parse(deaf, file: "f") }
        #expect(
            error?.description.hasPrefix("f:1:18: client-endpoint: must not be none, because the replicas of w") == true
        )
    }

    @Test("The page's files are valid")
    func page() throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let page = folder.deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent(
            "Sources/MobiusCoordinator/MobiusCoordinator.docc/Launching.md")
        let parts = try String(contentsOf: page, encoding: .utf8).split(separator: "```yaml\n").dropFirst()
        let files = parts.compactMap { $0.split(separator: "```").first }
        #expect(files.count >= 2)
        for file in files { #expect(throws: Never.self) { try TopologyReader.parse(String(file), file: "f") } }
    }

    @Test("A coordinator restarts after crashes only, or never")
    func coordinatorRestart() throws {
        func condition(_ word: String) throws -> RestartPolicy.Condition {
            try TopologyReader.parse("coordinator: {command: [c], restart: \(word)}", file: "f").coordinator.restart
                .condition
        }
        #expect(try condition("never") == .never)
        #expect(try condition("{times: 3}") == .onCrash)
        let error = #expect(throws: TopologyError.self) { _ = try condition("always") }
        #expect(error?.problem.hasPrefix("must be one of on-crash, never") == true)
    }

    @Test(
        "Which name was probably meant",
        arguments: [
            ("replica", "replicas"), ("repilcas", "replicas"), ("comand", "command"), ("command ", "command"),
            ("envrionment", "environment"), ("count", nil), ("x", nil), ("env", nil), ("POOLS", "pools"), ("", nil),
        ] as [(String, String?)])
    func nearest(name: String, meant: String?) {
        let known = ["replicas", "command", "environment", "concurrency", "pools"]
        #expect(NearestName.of(name, in: known) == meant)
        // Two that are equally near are none.
        #expect(NearestName.of("bat", in: ["bad", "bar"]) == nil)
    }
}
