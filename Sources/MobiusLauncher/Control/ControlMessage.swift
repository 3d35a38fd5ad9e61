import MobiusProcess

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
        /// Replace the workers of a pool, or the coordinator.
        case replace
        /// Restart the coordinator.
        case restart
    }

    package var command: Command
    /// For `scale`: numbers of workers by pool, as on the command line.
    package var pools: [String: String]?
    /// For `replace` and `restart`: the pool, or ``coordinator``.
    package var pool: String?
    /// For a replacement of the coordinator: whether the new build verifies the journal first.
    package var verifies: Bool?
    /// For the coordinator: how long it may take to become ready, as on the command line.
    package var readyLimit: String?

    /// The name that stands for the coordinator in place of a pool; no pool has it.
    package static let coordinator = "coordinator"

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
    /// With `done`: the numbers of workers, for `scale`.
    package var sizes: [Size]?

    /// The change of a pool's number of workers.
    package struct Size: Codable, Equatable, Sendable {
        package var pool: String
        package var from: Int
        package var to: Int
        /// The range of an automatic number, such as `1...8`.
        package var auto: String?
    }

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
        case .scaled(let sizes):
            self.init(
                done: sizes.map(\.sentence).joined(separator: "\n"),
                sizes: sizes.map { size in
                    let auto = size.range.map { "\($0.lowerBound)...\($0.upperBound)" }
                    return Size(pool: size.pool, from: size.from, to: size.to, auto: auto)
                })
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

extension ControlRequest {
    /// The order for the coordinator.
    fileprivate var order: Supervisor.CoordinatorOrder {
        var order = Supervisor.CoordinatorOrder(replaces: command == .replace, verifies: verifies ?? true)
        order.readyLimit = readyLimit.flatMap(DurationArgument.init)?.duration ?? order.readyLimit
        return order
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
            guard pool == ControlRequest.coordinator else {
                self = .replace(pool: pool, request: number)
                return
            }
            self = .change(request.order, request: number)
        case .restart:
            guard let name = request.pool, name == ControlRequest.coordinator else {
                let name = request.pool ?? "POOL"
                problem =
                    "Only the coordinator is restarted; new workers replace those of a pool: mobius replace \(name)."
                return nil
            }
            self = .change(request.order, request: number)
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
