import MobiusProcess

// MARK: - Keys shared by the coordinator and pools
extension TopologyReader {
    static let processKeys = [
        "command", "environment", "working-directory", "stop-grace", "restart", "health", "log",
    ]

    /// Reads the configuration of a process.
    ///
    /// - Parameters:
    ///   - entries: The values by key.
    ///   - parent: The mapping that contains them, for error messages.
    ///   - condition: The default restart condition.
    ///   - allowed: The restart conditions that the file may use.
    static func process(
        _ entries: [String: YAMLValue], of parent: YAMLValue, restarts condition: RestartPolicy.Condition,
        allowed: [RestartPolicy.Condition]
    ) throws -> Topology.Process {
        var process = Topology.Process(command: try command(entries["command"], of: parent))
        process.environment = try entries["environment"].map(environment) ?? [:]
        process.workingDirectory = try entries["working-directory"].map(folder)
        process.stopGrace = try entries["stop-grace"]?.duration()
        process.restart.condition = condition
        if let value = entries["restart"] { try restart(value, &process.restart, allowed) }
        process.health = try entries["health"].map(health)
        process.log = try entries["log"].map(log) ?? process.log
        return process
    }

    private static func command(_ value: YAMLValue?, of parent: YAMLValue) throws -> [String] {
        let example = "a list of words such as [site-audit, --quiet]"
        guard let value else {
            throw parent.error("has no command; add 'command: […]', \(example)")
        }
        let words = try value.items(example).map { try $0.text("a word of the command") }
        guard let first = words.first, !first.isEmpty else {
            throw value.error("must be \(example), and its first word names the executable")
        }
        return words
    }

    static func environment(_ value: YAMLValue) throws -> [String: String] {
        let entries = try value.entries("a mapping from variables to values")
        var result: [String: String] = [:]
        for entry in entries {
            guard !entry.name.isEmpty, !entry.name.utf8.contains(where: { $0 == UInt8(ascii: "=") || $0 == 0 }) else {
                throw entry.value.error("is not a name for an environment variable")
            }
            if let key = keysOfVariables[entry.name] {
                throw entry.value.error("is set by mobius up itself; use the key '\(key)' at the top of the file")
            }
            guard !ownVariables.contains(entry.name) else {
                throw entry.value.error("is set by mobius up itself; leave it out")
            }
            result[entry.name] = try entry.value.text("a text; write \"\" for an empty one")
        }
        return result
    }

    /// The variables that `mobius up` sets, with the keys that determine them.
    private static let keysOfVariables = [
        "MOBIUS_BIND": "endpoint", "MOBIUS_CONNECT": "endpoint", "MOBIUS_CLIENT_BIND": "client-endpoint",
        "MOBIUS_CONNECT_CLIENT": "client-endpoint", "MOBIUS_DRAIN_TIMEOUT": "stop-grace", "MOBIUS_POOL": "pools",
        "MOBIUS_MAX_PAYLOAD": "max-payload", FleetFinder.variable: "name",
    ]

    /// The variables that `mobius up` sets to values that the file cannot choose.
    private static let ownVariables = [ControlClient.variable, SupervisedEnd.variable, "MOBIUS_WORKER_NAME"]

    private static func folder(_ value: YAMLValue) throws -> String {
        let text = try value.text("a folder")
        guard !text.isEmpty else { throw value.error("must be a folder, not empty; '.' is the topology file's folder") }
        return text
    }

    /// Reads `restart: never` as well as `restart: {when: always, times: 5, within: 30s}`.
    private static func restart(
        _ value: YAMLValue, _ policy: inout RestartPolicy, _ allowed: [RestartPolicy.Condition]
    ) throws {
        let words = allowed.map(\.rawValue)
        guard value.isMapping else {
            let word = try value.word(of: words, or: ", or a mapping with the keys when, times and within")
            policy.condition = RestartPolicy.Condition(rawValue: word) ?? policy.condition
            return
        }
        let entries = try value.entries(allowed: ["when", "times", "within"], "a mapping")
        if let when = try entries["when"]?.word(of: words) {
            policy.condition = RestartPolicy.Condition(rawValue: when) ?? policy.condition
        }
        policy.times = try entries["times"]?.integer(in: 0...100_000) ?? policy.times
        policy.within = try entries["within"]?.duration(atLeast: .milliseconds(1)) ?? policy.within
    }

    private static func health(_ value: YAMLValue) throws -> Topology.Health {
        let entries = try value.entries(
            allowed: ["command", "http", "every", "timeout", "failures", "start"],
            "a mapping with the key command or http")
        var health = Topology.Health(try check(entries["command"], entries["http"], of: value))
        let shortest = Duration.milliseconds(10)
        health.rule.every = try entries["every"]?.duration(atLeast: shortest) ?? health.rule.every
        health.rule.timeout = try entries["timeout"]?.duration(atLeast: shortest) ?? health.rule.timeout
        health.rule.failures = try entries["failures"]?.integer(in: 1...1000) ?? health.rule.failures
        health.rule.start = try entries["start"]?.duration() ?? health.rule.start
        return health
    }

    private static func check(
        _ words: YAMLValue?, _ path: YAMLValue?, of parent: YAMLValue
    ) throws -> Topology.Health.Check {
        guard let path else { return .command(try command(words, of: parent)) }
        guard words == nil else { throw path.error("does not go with command; leave one of them out") }
        let text = try path.text("a path such as /livez")
        guard text.hasPrefix("/"), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw path.error("must be a path such as /livez")
        }
        return .http(text)
    }

    private static func log(_ value: YAMLValue) throws -> Topology.LogStyle {
        let entries = try value.entries(allowed: ["prefix", "colour"], "a mapping with the keys prefix and colour")
        var style = Topology.LogStyle()
        style.prefix = try entries["prefix"].map { value in
            let text = try value.text("a text")
            guard TerminalText.line(text) == text, TerminalText.width(text) <= 64 else {
                throw value.error("must be a text of at most 64 columns without control characters")
            }
            return text
        }
        style.colour = try entries["colour"].flatMap {
            Topology.Colour(rawValue: try $0.word(of: Topology.Colour.allCases.map(\.rawValue)))
        }
        return style
    }
}
