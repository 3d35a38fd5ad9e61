/// A command's request to a running `mobius up`: one JSON object in one line.
package struct ControlRequest: Codable, Equatable, Sendable {
    /// The kind of a request.
    package enum Command: String, Codable, Sendable {
        /// Identify the fleet.
        case fleet
        /// List the processes.
        case processes
        /// Change the number of workers.
        case scale
        /// Replace the workers of a pool.
        case replace
    }

    package var command: Command
    /// For `scale`: numbers of workers by pool, as on the command line.
    package var pools: [String: String]?
    /// For `replace`: the pool.
    package var pool: String?

    package init(command: Command, pools: [String: String]? = nil, pool: String? = nil) {
        self.command = command
        self.pools = pools
        self.pool = pool
    }
}

/// A reply of `mobius up`: one JSON object per line with one of these keys; every reply but `tell` is the last.
package struct ControlReply: Codable, Equatable, Sendable {
    /// Progress; more replies follow.
    package var tell: String?
    /// The request was carried out; a sentence for the operator.
    package var done: String?
    /// The request was refused; the reason.
    package var refused: String?
    /// With `refused`: the exit code of the command.
    package var code: Int32?
    /// The fleet, for `fleet`.
    package var fleet: Fleet?
    /// The processes, for `processes`.
    package var processes: [Process]?

    /// A fleet of `mobius up`.
    package struct Fleet: Codable, Equatable, Sendable {
        package var name: String
        package var pid: Int32
        /// The topology file.
        package var file: String
        /// The endpoint for clients, if there is one.
        package var clients: String?
    }

    /// One process of a fleet.
    package struct Process: Codable, Equatable, Sendable {
        package var name: String
        /// The pool, for a worker.
        package var pool: String?
        package var state: String
        package var pid: Int32?
        package var restarts: Int
    }
}

extension ControlReply {
    init(_ answer: Supervisor.Answer) {
        switch answer {
        case .done(let sentence): self.init(done: sentence)
        case .refused(let code, let sentence): self.init(refused: sentence, code: code)
        case .processes(let processes):
            self.init(
                processes: processes.map { process in
                    let pool: String? = if case .worker(let pool, _) = process.name { pool } else { nil }
                    return Process(
                        name: "\(process.name)", pool: pool, state: process.state, pid: process.pid,
                        restarts: process.restarts)
                })
        }
    }
}

extension Supervisor.Input {
    /// The supervisor's input for a request; nil with a `problem` when the request is invalid.
    init?(_ request: ControlRequest, number: Int, problem: inout String) {
        switch request.command {
        case .fleet: return nil
        case .processes: self = .list(request: number)
        case .replace:
            guard let pool = request.pool else {
                problem = "The request names no pool."
                return nil
            }
            self = .replace(pool: pool, request: number)
        case .scale:
            var orders: [Supervisor.ScaleRequest] = []
            for (pool, text) in (request.pools ?? [:]).sorted(by: { $0.key < $1.key }) {
                guard let order = Supervisor.ScaleRequest(pool, count: text) else {
                    problem = "\(pool)=\(text): must be \(Replicas.expectation), or auto."
                    return nil
                }
                orders.append(order)
            }
            self = .scale(orders, request: number)
        }
    }
}
