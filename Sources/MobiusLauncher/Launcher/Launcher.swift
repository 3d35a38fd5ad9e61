import Foundation
import Logging
import MobiusClient
import MobiusProcess

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Runs a planned fleet: performs the supervisor's actions, and feeds it the results.
struct Launcher: Sendable {
    let plan: LaunchPlan
    let environment: [String: String]
    let output: OutputMultiplexer
    let logger: Logger
    /// Receives operators' requests; nil when there is no control socket.
    let control: ControlServer?
    /// Requests the coordinator's status; nil when it has no endpoint for clients.
    private let inquirer: StatusInquirer?
    private let reaper = OrphanReaper()

    init(
        plan: LaunchPlan, environment: [String: String], output: OutputMultiplexer, logger: Logger,
        control: ControlServer?
    ) throws {
        inquirer = try plan.clientEndpoint.map { try StatusInquirer(endpoint: $0, environment: environment) }
        self.plan = plan
        self.environment = environment.merging([GuardProcess.variable: reaper.mark]) { $1 }
        self.output = output
        self.logger = logger
        self.control = control
    }

    /// The exit code of a fleet and the reason, if it is an error.
    struct Outcome: Sendable {
        var code: Int32
        var sentence: String?
    }

    /// Inputs before their translation for the supervisor.
    private enum Event: Sendable {
        case input(Supervisor.Input)
        /// The coordinator's status. It names runs of processes; the supervisor uses process names.
        case status(FleetStatus?, took: Duration)
    }

    private typealias Feed = AsyncStream<Event>.Continuation

    /// Runs the fleet to its end; signals are caught meanwhile.
    func run() async -> Outcome {
        let (events, feed) = AsyncStream.makeStream(of: Event.self)
        // If the reader of the output exits, the fleet must still be stopped in order.
        signal(SIGPIPE, SIG_IGN)
        let watch = SignalWatch([SIGTERM, SIGINT, SIGHUP]) { number, count in
            // The third signal ends even a stuck supervisor. The kernel kills the children (see ExecShim).
            if count > 2 { _exit(128 + number) }
            feed.yield(.input(.signal(number)))
        }
        defer { withExtendedLifetime(watch) {} }
        if let clients = plan.clientEndpoint {
            logger.info("Clients reach the fleet", metadata: ["at": "\(clients)"])
        }
        control?.start { feed.yield(.input($0)) }
        defer { control?.stop() }
        feed.yield(.input(.launch))
        let outcome = await supervise(events, feed)
        await inquirer?.close()
        return outcome
    }

    /// The state of a running fleet.
    private struct Run {
        var supervisor: Supervisor
        var runs = ProcessRuns()
        /// The coordinator's build that an operator's replacement may return to.
        var kept: KeptProcess?
        let launch = ContinuousClock.now
        let feed: Feed
    }

    private func supervise(_ events: AsyncStream<Event>, _ feed: Feed) async -> Outcome {
        let supervisor = Supervisor(
            coordinator: plan.coordinator.name, rules: plan.coordinatorRules, pools: plan.pools.map(\.supervised))
        return await withDiscardingTaskGroup { tasks in
            var run = Run(supervisor: supervisor, feed: feed)
            var outcome: Outcome?
            tasks.addTask {
                guard let problem = await reaper.run() else { return }
                logger.warning(
                    "No guard: SIGKILL of mobius up may leave processes", metadata: ["because": "\(problem)"])
            }
            for await event in events {
                let input = input(of: event, run.runs)
                run.runs.note(input)
                for action in run.supervisor.handle(input, at: ContinuousClock.now - run.launch) {
                    if case .finish(let code, let sentence) = action {
                        outcome = Outcome(code: code, sentence: sentence)
                    }
                    perform(action, &run, &tasks)
                }
                if outcome != nil { break }
            }
            reaper.finish()
            // Ends the sleeping timers; all processes have ended or were killed.
            tasks.cancelAll()
            return outcome ?? Outcome(code: 70, sentence: "mobius up lost track of its processes; please report this.")
        }
    }

    private func input(of event: Event, _ runs: ProcessRuns) -> Supervisor.Input {
        switch event {
        case .input(let input): input
        case .status(let status, let took): .status(status.map { Supervisor.Sample($0, runs) }, took: took)
        }
    }

    private func perform(_ action: Supervisor.Action, _ run: inout Run, _ tasks: inout DiscardingTaskGroup) {
        let feed = run.feed
        switch action {
        case .start(let name):
            if let process = plan.process(name) { start(process, inherited: environment, &run, &tasks) }
        case .startKept(let name):
            guard let process = plan.process(name), let kept = run.kept else { return }
            start(kept.process(like: process), inherited: kept.environment, &run, &tasks)
        case .keep(let name, let request):
            feed.yield(.input(.kept(request: request, problem: keep(name, &run))))
        case .verify(let name, let request):
            tasks.addTask { feed.yield(.input(.verified(request: request, problem: await verify(name, request)))) }
        case .discardKept: run.kept = nil
        case .terminate(let name):
            // The pid cannot belong to another process yet: the end of a process is reported within microseconds of
            // reaping it.
            if let pid = run.runs.pid(of: name) { _ = kill(pid, SIGTERM) }
        case .kill(let name):
            if let pid = run.runs.pid(of: name) { ChildProcess.kill(group: pid) }
        case .probe(let name, let pid):
            guard let process = plan.process(name), let check = process.health else { return }
            let timeout = run.supervisor.rules(of: name).health?.timeout ?? HealthRule().timeout
            let port = run.runs.port(of: name)
            let variables = variables(
                of: process, inherited: environment, label: run.runs.label(of: name), port: port)
            tasks.addTask {
                let problem =
                    switch check {
                    case .command(let words):
                        await HealthCommand(process, words: words, pid: pid, timeout: timeout).run(in: variables)
                    case .http(let path): await HealthRequest(path: path, port: port, timeout: timeout).run()
                    }
                feed.yield(.input(.probed(name, pid: pid, problem: problem)))
            }
        case .askStatus:
            tasks.addTask {
                let begin = ContinuousClock.now
                let status = await inquirer?.status()
                feed.yield(.status(status, took: ContinuousClock.now - begin))
            }
        case .tell(let request, let words): control?.tell(request, words)
        case .answer(let request, let answer): control?.answer(request, answer)
        case .wake(let time):
            tasks.addTask { [launch = run.launch] in
                try? await Task.sleep(until: launch + time)
                feed.yield(.input(.wake))
            }
        case .note(let note): log(note)
        case .finish: break
        }
    }

    /// Keeps the build of a running process; returns the problem.
    private func keep(_ name: ProcessName, _ run: inout Run) -> String? {
        do throws(KeptProcess.Failure) {
            run.kept = try KeptProcess(pid: run.runs.pid(of: name) ?? 0)
            return nil
        } catch {
            return error.reason
        }
    }

    /// Lets a process verify its journal; returns the problem.
    private func verify(_ name: ProcessName, _ request: Int) async -> String? {
        guard let process = plan.process(name) else { return "it is not in the topology" }
        let variables = variables(of: process, inherited: environment, label: "\(name)", port: nil)
        return await Verification(process: process, reaper: reaper).run(in: variables) { control?.tell(request, $0) }
    }

    private func start(
        _ process: LaunchPlan.Process, inherited: [String: String], _ run: inout Run, _ tasks: inout DiscardingTaskGroup
    ) {
        var port: UInt16?
        if case .http = process.health { port = LoopbackPort.free() }
        let label = run.runs.begin(process.name, port: port)
        let variables = variables(of: process, inherited: inherited, label: label, port: port)
        tasks.addTask { [feed = run.feed] in await self.run(process, variables, feed) }
    }

    private func run(_ process: LaunchPlan.Process, _ variables: [String: String], _ feed: Feed) async {
        let child = ChildProcess(process: process, baseEnvironment: variables, output: output, reaper: reaper)
        do {
            let termination = try await child.run { feed.yield(.input(.started(process.name, pid: $0))) }
            feed.yield(.input(.ended(process.name, termination)))
        } catch let error as ChildProcess.StartError {
            feed.yield(.input(.failedToStart(process.name, reason: error.reason)))
        } catch {
            feed.yield(.input(.failedToStart(process.name, reason: "\(error)")))
        }
    }

    /// The environment of a process before its own variables from the topology.
    private func variables(
        of process: LaunchPlan.Process, inherited: [String: String], label: String, port: UInt16?
    ) -> [String: String] {
        var variables = inherited
        if let port { variables["MOBIUS_HTTP"] = "127.0.0.1:\(port)" }
        switch process.name {
        case .worker: variables["MOBIUS_WORKER_NAME"] = label
        // A backtrace takes many seconds, in which no loop runs; the journal has the event that trapped.
        case .coordinator: variables["SWIFT_BACKTRACE"] = variables["SWIFT_BACKTRACE"] ?? "enable=no"
        }
        if let control {
            variables[ControlClient.variable] = control.path
            variables[FleetFinder.variable] = "\(plan.coordinator.name)"
        }
        return variables
    }
}
