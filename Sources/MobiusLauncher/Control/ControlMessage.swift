/// What a command asks of a running `mobius up`: one JSON object in a line.
package struct ControlRequest: Codable, Equatable, Sendable {
    /// What is asked.
    package enum Command: String, Codable, Sendable {
        /// Who are you?
        case fleet
        /// How are your processes?
        case processes
        /// Have so many workers.
        case scale
        /// Replace the workers of a pool.
        case replace
    }

    /// What is asked.
    package var command: Command
    /// With `scale`: numbers of workers by pool, as on the command line.
    package var pools: [String: String]?
    /// With `replace`: the pool.
    package var pool: String?

    /// Makes a request.
    package init(command: Command, pools: [String: String]? = nil, pool: String? = nil) {
        self.command = command
        self.pools = pools
        self.pool = pool
    }
}

/// What it answers: JSON objects, one a line, of which each has one of the keys; all but `tell` are the last.
package struct ControlReply: Codable, Equatable, Sendable {
    /// How it goes on; more follows.
    package var tell: String?
    /// It is done.
    package var done: String?
    /// It is not, and why.
    package var refused: String?
    /// With `refused`: what the command exits with.
    package var code: Int32?
    /// Who it is.
    package var fleet: Fleet?
    /// How its processes are.
    package var processes: [Process]?

    /// A fleet of `mobius up`.
    package struct Fleet: Codable, Equatable, Sendable {
        package var name: String
        package var pid: Int32
        /// The topology file.
        package var file: String
        /// Where clients reach it, if they do.
        package var clients: String?
    }

    /// One of its processes.
    package struct Process: Codable, Equatable, Sendable {
        package var name: String
        /// The pool of a worker.
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
    /// What a request means, or why it makes no sense.
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
            var orders: [Supervisor.ScaleOrder] = []
            for (pool, text) in (request.pools ?? [:]).sorted(by: { $0.key < $1.key }) {
                guard let order = Supervisor.ScaleOrder(pool, count: text) else {
                    problem = "\(pool)=\(text): must be \(Replicas.expectation), or auto."
                    return nil
                }
                orders.append(order)
            }
            self = .scale(orders, request: number)
        }
    }
}
