import Foundation
import MobiusProcess
import MobiusWire

/// Everything needed to start the processes of a fleet: resolved commands and complete environments.
package struct LaunchPlan: Equatable, Sendable {
    /// The coordinator.
    package let coordinator: Process
    /// The rules by which the coordinator is supervised.
    package let coordinatorRules: Supervisor.Rules
    /// The pools, in the order of the file.
    package let pools: [Pool]
    /// The endpoint at which coordinator and workers meet.
    package let endpoint: String
    /// The coordinator's endpoint for clients; nil when it has none.
    package let clientEndpoint: String?

    /// A pool to start.
    package struct Pool: Equatable, Sendable {
        /// Its name.
        package let name: String
        /// The number of workers.
        package let replicas: Replicas
        /// The rules by which its workers are supervised.
        package let rules: Supervisor.Rules
        /// The rule for changes of its number of workers, if it is automatic.
        fileprivate let scaling: AutoScaler.Rule
        fileprivate let slots: Int
        /// The process of each worker, with the name of the first one.
        fileprivate let pattern: Process

        /// The pool as the supervisor's input.
        var supervised: Supervisor.Pool {
            Supervisor.Pool(name, replicas: replicas, rules: rules, scaling: scaling, slots: slots)
        }

        /// The worker with this number.
        package func worker(_ index: Int) -> Process {
            var worker = pattern
            worker.name = .worker(pool: name, index: index)
            if let prefix = worker.style.prefix { worker.style.prefix = "\(prefix).\(index)" }
            return worker
        }
    }

    /// Resolves the commands and completes the environments.
    ///
    /// - Parameters:
    ///   - topology: The fleet.
    ///   - endpoint: The endpoint at which coordinator and workers meet.
    ///   - extraArguments: Added to the coordinator's command.
    ///   - finder: Resolves commands and folders.
    /// - Throws: `FleetExit` 69 naming the first command or folder that does not exist.
    package init(
        _ topology: Topology, endpoint: String, coordinatorArguments extraArguments: [String], finder: CommandFinder
    ) throws {
        self.endpoint = endpoint
        let clientEndpoint = topology.clientEndpoint(beside: endpoint)
        self.clientEndpoint = clientEndpoint
        // The processes of a fleet may also be its clients.
        var forAll = clientEndpoint.map { ["MOBIUS_CONNECT_CLIENT": $0] } ?? [:]
        if let limit = topology.maximumPayload { forAll["MOBIUS_MAX_PAYLOAD"] = SizeArgument(bytes: limit).description }
        func process(
            _ name: ProcessName, _ process: Topology.Process, _ key: String, _ own: [String: String]
        ) throws -> Process {
            var variables = topology.environment.merging(process.environment) { $1 }.merging(forAll) { $1 }
            let health = try process.health.map { try Self.check($0, "\(key).health", finder) }
            // Each such process serves HTTP at a port of its own, which it gets when it starts.
            if case .http = health { variables["MOBIUS_HTTP"] = nil }
            return Process(
                name: name, executable: try finder.find(process.command[0], key: key),
                arguments: Array(process.command.dropFirst()), environment: variables.merging(own) { $1 },
                workingDirectory: try process.workingDirectory.map { try finder.folder($0, key: key) },
                style: process.log, health: health)
        }
        var coordinator = try process(
            .coordinator(topology.name), topology.coordinator, "coordinator",
            ["MOBIUS_BIND": endpoint, "MOBIUS_CLIENT_BIND": clientEndpoint ?? "none"])
        coordinator.arguments += extraArguments
        self.coordinator = coordinator
        var coordinatorRules = topology.coordinator.rules(grace: topology.stopGrace)
        // A coordinator without an endpoint for clients cannot report anything.
        let silent = clientEndpoint == nil ? RestartPolicy().health : nil
        if let silent { coordinatorRules.readiness = .after(silent) }
        self.coordinatorRules = coordinatorRules
        pools = try topology.pools.map { pool in
            var own = ["MOBIUS_CONNECT": endpoint, "MOBIUS_POOL": pool.name]
            if let concurrency = pool.concurrency { own["MOBIUS_CONCURRENCY"] = "\(concurrency)" }
            var rules = pool.process.rules(grace: topology.stopGrace)
            own["MOBIUS_DRAIN_TIMEOUT"] = DurationArgument(Self.drain(within: rules.grace)).description
            if let time = pool.readyAfter ?? silent { rules.readiness = .after(time) }
            return Pool(
                name: pool.name, replicas: pool.replicas, rules: rules, scaling: pool.scaling,
                slots: pool.concurrency ?? 1,
                pattern: try process(
                    .worker(pool: pool.name, index: 1), pool.process, "pools.\(pool.name)", own))
        }
    }

    private static func check(
        _ health: Topology.Health, _ key: String, _ finder: CommandFinder
    ) throws -> Topology.Health.Check {
        guard case .command(let words) = health.check else { return health.check }
        return .command([try finder.find(words[0], key: key)] + words.dropFirst())
    }

    /// Returns the time that a worker has to finish its effects.
    ///
    /// The remaining grace is for cancelling and handing back the others.
    static func drain(within grace: Duration) -> Duration {
        max(grace - .seconds(2), grace / 2)
    }

    /// The workers with which the fleet begins, pool by pool.
    package var workers: [Process] {
        pools.flatMap { pool in (0..<pool.replicas.first).map { pool.worker($0 + 1) } }
    }

    /// The process with this name, which may be a worker that is added later; nil when its pool does not exist.
    package func process(_ name: ProcessName) -> Process? {
        switch name {
        case .coordinator: coordinator
        case .worker(let pool, let index): pools.first { $0.name == pool }?.worker(index)
        }
    }

    /// The output of `--dry-run`: every process with its command line and its environment, as valid YAML.
    package var text: String {
        ([coordinator] + workers).map(\.text).joined()
    }
}

extension Topology.Process {
    fileprivate func rules(grace: Duration) -> Supervisor.Rules {
        var rules = Supervisor.Rules()
        rules.restart = restart
        rules.grace = stopGrace ?? grace
        rules.health = health?.rule
        return rules
    }
}

extension Topology {
    fileprivate func clientEndpoint(beside endpoint: String) -> String? {
        switch clients {
        case .beside: ClientEndpoint.beside(endpoint)
        case .at(let endpoint): endpoint
        case .nowhere: nil
        }
    }
}
