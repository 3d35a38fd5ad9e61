import Foundation
import Logging
import MobiusCommand

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Runs a planned fleet: performs what the supervisor decides, and tells it what happens.
struct Launcher: Sendable {
    let plan: LaunchPlan
    let environment: [String: String]
    let board: OutputBoard
    let logger: Logger
    private let keeper = FleetGuard()

    init(plan: LaunchPlan, environment: [String: String], board: OutputBoard, logger: Logger) {
        self.plan = plan
        self.environment = environment.merging([GuardProcess.variable: keeper.mark]) { $1 }
        self.board = board
        self.logger = logger
    }

    /// How a fleet ended.
    struct Outcome: Sendable {
        var code: Int32
        var sentence: String?
    }

    /// Runs the fleet to its end; signals are caught meanwhile.
    func run() async -> Outcome {
        let (inputs, feed) = AsyncStream.makeStream(of: Supervisor.Input.self)
        // A reader of the output that goes away must not take the fleet down without order.
        signal(SIGPIPE, SIG_IGN)
        let watch = SignalWatch([SIGTERM, SIGINT, SIGHUP]) { number, count in
            // Third time: should even the supervisor be stuck. The kernel takes the children along (see ExecShim).
            if count > 2 { _exit(128 + number) }
            feed.yield(.signal(number))
        }
        defer { withExtendedLifetime(watch) {} }
        if let clients = plan.clientEndpoint {
            logger.info("Clients reach the fleet", metadata: ["at": "\(clients)"])
        }
        feed.yield(.launch)
        return await supervise(inputs, feed)
    }

    private func supervise(
        _ inputs: AsyncStream<Supervisor.Input>, _ feed: AsyncStream<Supervisor.Input>.Continuation
    ) async -> Outcome {
        var supervisor = Supervisor(
            coordinator: plan.coordinator.name, rules: plan.coordinatorRules,
            pools: plan.pools.map { Supervisor.Pool($0.name, replicas: $0.replicas, rules: $0.rules) })
        var pids: [ProcessName: Int32] = [:]
        let launch = ContinuousClock.now
        return await withDiscardingTaskGroup { tasks in
            var outcome: Outcome?
            tasks.addTask {
                guard let problem = await keeper.run() else { return }
                logger.warning(
                    "No guard: SIGKILL of mobius up may leave processes", metadata: ["because": "\(problem)"])
            }
            for await input in inputs {
                if case .started(let name, let pid) = input { pids[name] = pid }
                if case .ended(let name, _) = input { pids[name] = nil }
                for action in supervisor.handle(input, at: ContinuousClock.now - launch) {
                    switch action {
                    case .start(let name):
                        guard let process = plan.process(name) else { continue }
                        tasks.addTask { await run(process, feed) }
                    case .terminate(let name):
                        // The pid cannot be another process's yet: its end is reported within microseconds of reaping.
                        if let pid = pids[name] { _ = kill(pid, SIGTERM) }
                    case .kill(let name):
                        if let pid = pids[name] { ChildProcess.kill(group: pid) }
                    case .probe(let name, let pid):
                        guard let process = plan.process(name), let health = process.health else { continue }
                        let timeout = supervisor.rules(of: name).health?.timeout ?? .seconds(5)
                        tasks.addTask {
                            let command = HealthCommand(process, words: health, pid: pid, timeout: timeout)
                            feed.yield(.probed(name, pid: pid, problem: await command.run(in: environment)))
                        }
                    case .wake(let time):
                        tasks.addTask {
                            try? await Task.sleep(until: launch + time)
                            feed.yield(.wake)
                        }
                    case .note(let note):
                        log(note)
                    case .finish(let code, let sentence):
                        outcome = Outcome(code: code, sentence: sentence)
                    }
                }
                if outcome != nil { break }
            }
            keeper.finish()
            // Ends the sleeping timers; processes are gone by now, or killed.
            tasks.cancelAll()
            return outcome ?? Outcome(code: 70, sentence: "mobius up lost track of its processes; please report this.")
        }
    }

    private func run(_ process: LaunchPlan.Process, _ feed: AsyncStream<Supervisor.Input>.Continuation) async {
        let child = ChildProcess(process: process, baseEnvironment: environment, board: board, keeper: keeper)
        do {
            let termination = try await child.run { feed.yield(.started(process.name, pid: $0)) }
            feed.yield(.ended(process.name, termination))
        } catch let error as ChildProcess.StartError {
            feed.yield(.failedToStart(process.name, reason: error.reason))
        } catch {
            feed.yield(.failedToStart(process.name, reason: "\(error)"))
        }
    }

    private func log(_ note: Supervisor.Note) {
        switch note {
        case .started(let name, let pid):
            logger.info("Started", metadata: ["process": "\(name)", "pid": "\(pid)"])
        case .restarting(let name, let end, let delay):
            logger.warning(
                "Ended, restarting",
                metadata: ["process": "\(name)", "because": "\(end)", "in": "\(DurationArgument(delay))"])
        case .retrying(let name, let reason, let delay):
            logger.warning(
                "Could not be started, trying again",
                metadata: ["process": "\(name)", "because": "\(reason)", "in": "\(DurationArgument(delay))"])
        case .ended(let name, let end):
            logger.info("Ended", metadata: ["process": "\(name)", "because": "\(end)"])
        case .unhealthy(let name, let problem):
            logger.warning("Not healthy, stopping it", metadata: ["process": "\(name)", "because": "\(problem)"])
        case .stopping(let reason):
            logger.info("Stopping the fleet", metadata: ["because": "\(reason)"])
        case .overdue(let name):
            logger.warning("Killed: it did not stop in time", metadata: ["process": "\(name)"])
        }
    }
}
