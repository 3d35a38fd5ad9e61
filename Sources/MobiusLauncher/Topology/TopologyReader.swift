import Foundation
import MobiusProcess
import MobiusWire
import Yams

/// Reads topology files: converts YAML text to a ``Topology``, or throws an error with its place.
package enum TopologyReader {
    /// Reads a file.
    ///
    /// - Throws: `FleetExit` 66 when it cannot be read, ``TopologyError`` when its content is invalid.
    package static func read(file: String) throws -> Topology {
        let data: Data
        do {
            data = try Data(contentsOf: URL(fileURLWithPath: file))
        } catch {
            let reason = FileManager.default.fileExists(atPath: file) ? "cannot be read" : "does not exist"
            throw FleetExit(.noInput, "The topology file \(file) \(reason); name a readable YAML file.")
        }
        guard let text = String(data: data, encoding: .utf8) else {
            throw TopologyError(file: file, line: nil, column: nil, key: "", problem: "is not UTF-8 text")
        }
        return try parse(text, file: file)
    }

    /// Reads a document; `file` is used in messages and for the default name.
    package static func parse(_ text: String, file: String) throws -> Topology {
        guard let node = try compose(text, file: file) else {
            throw TopologyError(
                file: file, line: nil, column: nil, key: "", problem: "is empty; it needs at least a coordinator")
        }
        return try topology(YAMLValue(file: file, key: "", node: node))
    }

    private static func compose(_ text: String, file: String) throws -> Node? {
        func failure(_ mark: Mark?, _ problem: String) -> TopologyError {
            TopologyError(file: file, line: mark?.line, column: mark?.column, key: "", problem: problem)
        }
        do {
            return try Yams.compose(yaml: text, .default, .default, .utf8)
        } catch let error as YamlError {
            switch error {
            case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
                .composer(_, let problem, let mark, _):
                throw failure(mark, "is not valid YAML: \(problem)")
            case .duplicatedKeysInMapping(let duplicates, let context):
                throw failure(context.mark, "has a key twice: \(duplicates.joined(separator: ", "))")
            default:
                throw failure(nil, "is not valid YAML")
            }
        }
    }

    private static func topology(_ root: YAMLValue) throws -> Topology {
        let keys = [
            "name", "endpoint", "client-endpoint", "max-payload", "stop-grace", "environment", "coordinator", "pools",
        ]
        let entries = try root.entries(allowed: keys, "a mapping with the keys coordinator and pools")
        guard let coordinator = entries["coordinator"] else {
            throw root.error("has no coordinator; add 'coordinator: {command: [your-coordinator]}'")
        }
        let fileName = URL(fileURLWithPath: root.file).deletingPathExtension().lastPathComponent
        var topology = Topology(
            name: try entries["name"].map(name) ?? fileName, coordinator: try self.coordinator(coordinator))
        topology.endpoint = try entries["endpoint"].map { try endpoint($0, for: "workers") }
        topology.clients = try clients(entries["client-endpoint"], beside: entries["endpoint"])
        topology.maximumPayload = try entries["max-payload"]?.size(in: PayloadLimit.range)
        topology.environment = try entries["environment"].map(environment) ?? [:]
        topology.stopGrace = try entries["stop-grace"]?.duration() ?? topology.stopGrace
        topology.pools = try entries["pools"]?.entries("a mapping from pool names to pools").map(pool) ?? []
        if topology.clients == .nowhere, let value = entries["client-endpoint"],
            let pool = topology.pools.first(where: { if case .auto = $0.replicas { true } else { false } })
        {
            throw value.error("must not be none, because the replicas of \(pool.name) follow what is asked there")
        }
        return topology
    }

    private static func coordinator(_ value: YAMLValue) throws -> Topology.Process {
        let entries = try value.entries(allowed: processKeys, "a mapping with the key command")
        return try process(entries, of: value, restarts: .onCrash, allowed: [.onCrash, .never])
    }

    private static func pool(_ entry: YAMLValue.Entry) throws -> Topology.Pool {
        guard isName(entry.name) else {
            throw entry.value.error("is not a name for a pool; \(nameRule)")
        }
        guard entry.name != ControlRequest.coordinator else {
            throw entry.value.error("is what commands call the coordinator; give the pool another name")
        }
        let keys = processKeys + ["replicas", "concurrency", "scaling", "ready-after"]
        let entries = try entry.value.entries(allowed: keys, "a mapping with the key command")
        var pool = Topology.Pool(name: entry.name, command: [])
        pool.process = try process(
            entries, of: entry.value, restarts: .always, allowed: RestartPolicy.Condition.allCases)
        pool.replicas = try entries["replicas"].map(replicas) ?? 1
        pool.readyAfter = try entries["ready-after"]?.duration()
        if let value = entries["scaling"] { pool.scaling = try scaling(value, of: pool) }
        pool.concurrency = try entries["concurrency"]?.integer(in: 1...100_000)
        return pool
    }

    private static func replicas(_ value: YAMLValue) throws -> Replicas {
        let text = try value.text(Replicas.expectation)
        guard !value.isQuoted, let replicas = Replicas(text) else {
            throw value.error("must be \(Replicas.expectation), not '\(text)'")
        }
        return replicas
    }

    private static func scaling(_ value: YAMLValue, of pool: Topology.Pool) throws -> AutoScaler.Rule {
        guard case .auto = pool.replicas else {
            throw value.error("needs 'replicas: auto(1...8)', or another range: a fixed number does not change")
        }
        let entries = try value.entries(
            allowed: ["age", "cooldown", "idle"], "a mapping with the keys age, cooldown and idle")
        var rule = AutoScaler.Rule()
        rule.age = try entries["age"]?.duration() ?? rule.age
        rule.cooldown = try entries["cooldown"]?.duration() ?? rule.cooldown
        rule.idle = try entries["idle"]?.duration(atLeast: .seconds(1)) ?? rule.idle
        return rule
    }

    private static func endpoint(_ value: YAMLValue, for who: String) throws -> String {
        let text = try value.text("an endpoint such as tcp://127.0.0.1:5701")
        if let problem = EndpointRule.problem(with: text, for: who) {
            throw value.error(problem)
        }
        return text
    }

    /// Reads the endpoint for clients; without one, it must be possible to derive it from the workers' endpoint.
    private static func clients(_ value: YAMLValue?, beside workers: YAMLValue?) throws -> Topology.Clients {
        if let value {
            let text = try value.text("an endpoint such as tcp://127.0.0.1:5702, or none")
            return text == "none" ? .nowhere : .at(try endpoint(value, for: "clients"))
        }
        if let workers {
            let text = try workers.text("an endpoint")
            guard let clients = ClientEndpoint.beside(text), EndpointRule.problem(with: clients) == nil else {
                throw workers.error(
                    "leaves no room for the clients' endpoint, which is the next port or the path with '-client' "
                        + "behind it; choose another, or give client-endpoint, which may be none")
            }
        }
        return .beside
    }

    private static let nameRule = "use up to 64 letters, digits, '-', '_' and '.', beginning with a letter or digit"

    private static func name(_ value: YAMLValue) throws -> String {
        let text = try value.text("a name")
        guard isName(text) else { throw value.error("'\(text)' is not a name; \(nameRule)") }
        return text
    }

    private static func isName(_ text: String) -> Bool {
        func isPlain(_ byte: UInt8) -> Bool {
            let character = Character(UnicodeScalar(byte))
            return character.isASCII && (character.isLetter || character.isNumber)
        }
        guard let first = text.utf8.first, isPlain(first), text.utf8.count <= 64 else { return false }
        return text.utf8.allSatisfy { isPlain($0) || "-_.".utf8.contains($0) }
    }
}
