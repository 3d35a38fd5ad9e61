import ArgumentParser
import Foundation
import Logging
import MobiusCommand

/// The command `mobius up FILE`.
struct Up: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Starts a fleet from its topology file and looks after it.",
        discussion: """
            The file is YAML:

              name: site-audit
              coordinator: {command: [site-audit]}
              pools:
                page-fetcher: {command: [page-fetcher], replicas: 2, concurrency: 32}
                report-writer: {command: [report-writer]}

            A command is looked up beside mobius, then in PATH; one with a slash is relative to the file. Further keys: \
            endpoint (default: a private socket), client-endpoint (default: the port after endpoint's, or its path with \
            '-client' behind it; 'none' for none), stop-grace (default: 10s), environment; and of the coordinator or a pool: \
            environment, working-directory, stop-grace, restart, health, log; and of a pool: replicas, which may be \
            auto(1...8), scaling, ready-after, concurrency. The page 'Launching a fleet' tells of each.

            While it runs, 'mobius scale' changes the number of workers, 'mobius replace' brings in new ones, and \
            'mobius status --watch' shows the fleet.

            Where clients such as 'mobius send' reach the fleet is in the log; its processes find it in \
            MOBIUS_CONNECT_CLIENT.

            Workers that end are restarted, so is a coordinator that a signal ended; after 100 ms, then 200 ms, up to 5 s; \
            10 times a minute each, and then the fleet is given up, unless the key restart says otherwise. \
            When the coordinator exits, the workers are stopped and mobius up exits with the coordinator's code. SIGINT \
            (Ctrl-C), SIGTERM and SIGHUP stop the workers first, then the coordinator; a second one kills all at once.

            Exit codes: the coordinator's (128 + n when signal n ended it); 64 when the command line or the file makes no \
            sense, or a worker says so of its own; 66 when the file cannot be read; 69 when a command cannot be \
            started; 70 when a process ended too often; 77 or 78 when a worker says that it is refused, or configured \
            wrongly; 73 when no folder for the socket, no socket or no pipe can be made; 128 + n after two signals, the \
            second being n.

            Examples:
              mobius up Deploy/site-audit.yaml -- --start https://example.org
              mobius up Deploy/site-audit.yaml --scale page-fetcher=4
              mobius up Deploy/site-audit.yaml --dry-run
            """)

    @Argument(help: "The topology file.", completion: .file(extensions: ["yaml", "yml"]))
    var file: String

    @Flag(name: .customLong("dry-run"), help: "Print the commands and environments instead of starting them.")
    var dryRun = false

    @Option(
        help: ArgumentHelp(
            "A pool and how many workers it has, instead of what the file says; may be repeated.",
            valueName: "pool=count"))
    var scale: [ScaleArgument] = []

    @Flag(
        name: .customLong("raw-output"),
        help: "Write the output of processes as it is, escape sequences and other control characters included.")
    var rawOutput = false

    @OptionGroup var logging: LoggingOptions

    @Argument(
        parsing: .postTerminator,
        help: ArgumentHelp("After '--': added to the coordinator's command.", valueName: "coordinator-arguments"))
    var coordinatorArguments: [String] = []

    func run() async throws {
        try await FleetExit.reporting {
            do {
                try await launch()
            } catch let error as TopologyError {
                throw FleetExit(.usage, "\(error)")
            }
        }
    }

    private func launch() async throws {
        let environment = ProcessInfo.processInfo.environment
        let topology = try TopologyReader.read(file: file).scaled(by: scale.map(\.order))
        if dryRun {
            let endpoint = topology.endpoint ?? RuntimeDirectory.exampleEndpoint(in: environment)
            print(try plan(topology, endpoint: endpoint, environment).text, terminator: "")
            return
        }
        // Commands are found before anything is made.
        _ = try plan(topology, endpoint: topology.endpoint ?? "", environment)
        // A process takes three, and systems allow 1024 unless asked.
        OpenFiles.raiseLimit()
        let board = try board(environment)
        let logger = try logging.bootstrap(label: "mobius", write: { board.write($0) })
        let directory = try directory(for: topology, environment, logger)
        defer { directory?.remove() }
        let complete = try plan(topology, endpoint: topology.endpoint ?? directory?.endpoint ?? "", environment)
        let launcher = try Launcher(
            plan: complete, environment: environment, board: board, logger: logger,
            control: try control(in: directory, complete, logger))
        let outcome = await launcher.run()
        board.flush()
        if outcome.code != 0 {
            throw FleetExit(ExitCode(outcome.code), outcome.sentence ?? "")
        }
    }

    private func board(_ environment: [String: String]) throws -> OutputBoard {
        do {
            return try OutputBoard(environment: environment, isRaw: rawOutput)
        } catch {
            throw FleetExit(.cannotCreate, "No pipe can be made: \(error).")
        }
    }

    /// The folder for sockets; only a fleet whose endpoint is given can do without.
    private func directory(
        for topology: Topology, _ environment: [String: String], _ logger: Logger
    ) throws -> RuntimeDirectory? {
        do {
            return try RuntimeDirectory(in: environment)
        } catch  where topology.endpoint != nil {
            logger.warning("mobius scale and replace will not find the fleet", metadata: ["because": "\(error)"])
            return nil
        }
    }

    private func control(
        in directory: RuntimeDirectory?, _ plan: LaunchPlan, _ logger: Logger
    ) throws -> ControlServer? {
        guard let directory else { return nil }
        let fleet = ControlReply.Fleet(
            name: "\(plan.coordinator.name)", pid: getpid(), file: URL(fileURLWithPath: file).path,
            clients: plan.clientEndpoint)
        let path = RuntimeDirectory.control(in: directory.path)
        do {
            return try ControlServer(path: path, fleet: fleet)
        } catch {
            throw FleetExit(.cannotCreate, "No socket can be made at \(path): \(error).")
        }
    }

    private func plan(_ topology: Topology, endpoint: String, _ environment: [String: String]) throws -> LaunchPlan {
        let folder = URL(fileURLWithPath: file).deletingLastPathComponent().path
        let finder = CommandFinder(
            neighbours: OwnExecutable.directory, fileDirectory: folder,
            searchPath: environment["PATH"] ?? "/usr/bin:/bin")
        return try LaunchPlan(
            topology, endpoint: endpoint, coordinatorArguments: coordinatorArguments, finder: finder)
    }
}
