/// A fleet as its file describes it: one coordinator and pools of workers.
///
/// A value; nothing is looked up yet.
package struct Topology: Equatable, Sendable {
    /// The fleet's name; its coordinator goes by it in logs.
    ///
    /// Default: the file's name without extension.
    package var name: String
    /// Where coordinator and workers meet; nil means a private socket made afresh for every run.
    package var endpoint: String?
    /// Where clients, such as `mobius send`, reach the coordinator.
    package var clients = Clients.beside
    /// The largest event or effect in bytes; nil leaves it to the coordinator.
    package var maximumPayload: Int?
    /// How long a process may take to stop by itself before it is killed, unless it has a time of its own.
    package var stopGrace: Duration = .seconds(10)
    /// What is added to the environment of `mobius up` for every process; a process's own wins.
    package var environment: [String: String] = [:]
    /// What holds the loop.
    package var coordinator: Process
    /// The pools, in the order of the file.
    package var pools: [Pool] = []

    /// Makes a fleet of only a coordinator.
    package init(name: String, coordinator: Process) {
        self.name = name
        self.coordinator = coordinator
    }

    /// Where clients reach a coordinator.
    package enum Clients: Equatable, Sendable {
        /// At the endpoint that goes with the workers': the next port, or the path with `-client` behind it.
        case beside
        /// At this endpoint.
        case at(String)
        /// Nowhere.
        case nowhere
    }

    /// One pool of equal workers.
    package struct Pool: Equatable, Sendable {
        /// The pool's name: workers go by `name.1`, `name.2`, … in logs.
        package var name: String
        /// What each worker runs.
        package var process: Process
        /// How many processes.
        package var replicas: Replicas = 1
        /// When the pool grows and shrinks, if it does.
        package var scaling = AutoScaler.Rule()
        /// A new worker that takes the place of another counts as ready after this time; nil when the coordinator has a session
        /// with it.
        package var readyAfter: Duration?
        /// How many effects each runs at once; nil leaves it to the worker.
        package var concurrency: Int?

        /// Makes a pool of one worker.
        package init(name: String, command: [String]) {
            self.name = name
            process = Process(command: command)
        }
    }
}

/// Why a topology file makes no sense; `description` is `file:line:column: key: what is wrong`.
package struct TopologyError: Error, Equatable, CustomStringConvertible {
    /// The file as the user named it.
    package let file: String
    /// Line, from 1, where known.
    package let line: Int?
    /// Column, from 1, where known.
    package let column: Int?
    /// The key with its parents, such as `pools.page-fetcher.replicas`; empty for the whole file.
    package let key: String
    /// What is wrong and what would be right.
    package let problem: String

    /// As compilers print it, so editors can jump to the place.
    package var description: String {
        var parts = [file]
        if let line { parts.append("\(line)") }
        if let column, line != nil { parts.append("\(column)") }
        let place = parts.joined(separator: ":")
        return key.isEmpty ? "\(place): \(problem)" : "\(place): \(key): \(problem)"
    }
}
