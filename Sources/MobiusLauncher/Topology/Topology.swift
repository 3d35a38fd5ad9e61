/// A fleet as described by its topology file: one coordinator and pools of workers.
///
/// A plain value; commands and folders are not resolved yet.
package struct Topology: Equatable, Sendable {
    /// The fleet's name, which is also the coordinator's name in logs.
    ///
    /// Default: the file's name without extension.
    package var name: String
    /// The endpoint at which coordinator and workers meet; nil for a private socket that is created for every run.
    package var endpoint: String?
    /// The coordinator's endpoint for clients such as `mobius send`.
    package var clients = Clients.beside
    /// The largest event or effect in bytes; nil for the coordinator's default.
    package var maximumPayload: Int?
    /// The time that a process may take to stop before it is killed, unless it has a time of its own.
    package var stopGrace: Duration = .seconds(10)
    /// Variables added to the environment of `mobius up` for every process; a process's own variables take precedence.
    package var environment: [String: String] = [:]
    /// The coordinator's process.
    package var coordinator: Process
    /// The pools, in the order of the file.
    package var pools: [Pool] = []

    /// A fleet that consists only of a coordinator.
    package init(name: String, coordinator: Process) {
        self.name = name
        self.coordinator = coordinator
    }

    /// The coordinator's endpoint for clients.
    package enum Clients: Equatable, Sendable {
        /// The endpoint derived from the workers': the next port, or the path with `-client` appended.
        case beside
        /// This endpoint.
        case at(String)
        /// No endpoint.
        case nowhere
    }

    /// One pool of identical workers.
    package struct Pool: Equatable, Sendable {
        /// The pool's name; its workers are named `name.1`, `name.2`, … in logs.
        package var name: String
        /// The process of each worker.
        package var process: Process
        /// The number of workers.
        package var replicas: Replicas = 1
        /// The rule for changes of the number of workers, if it is automatic.
        package var scaling = AutoScaler.Rule()
        /// The time after which a replacement worker counts as ready; if nil, it does when the coordinator has a
        /// session with it.
        package var readyAfter: Duration?
        /// The number of effects that each worker runs at once; nil for the worker's default.
        package var concurrency: Int?

        /// A pool of one worker.
        package init(name: String, command: [String]) {
            self.name = name
            process = Process(command: command)
        }
    }
}

/// The reason why a topology file is invalid; `description` is `file:line:column: key: problem`.
package struct TopologyError: Error, Equatable, CustomStringConvertible {
    /// The file as the user named it.
    package let file: String
    /// Line, from 1, if known.
    package let line: Int?
    /// Column, from 1, if known.
    package let column: Int?
    /// The key with its parents, such as `pools.page-fetcher.replicas`; empty for the whole file.
    package let key: String
    /// The problem, and what would be valid.
    package let problem: String

    /// The format that compilers use, so that editors can open the place.
    package var description: String {
        var parts = [file]
        if let line { parts.append("\(line)") }
        if let column, line != nil { parts.append("\(column)") }
        let place = parts.joined(separator: ":")
        return key.isEmpty ? "\(place): \(problem)" : "\(place): \(key): \(problem)"
    }
}
