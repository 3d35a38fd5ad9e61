import ArgumentParser
import Foundation
import MobiusLauncher
import MobiusProcess

/// The command `mobius up FILE`.
struct Up: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Starts a fleet from its topology file and supervises it.",
        discussion: """
            The file is YAML:

              name: site-audit
              coordinator: {command: [site-audit]}
              pools:
                page-fetcher: {command: [page-fetcher], replicas: 2, concurrency: 32}
                report-writer: {command: [report-writer]}

            A command is looked up beside mobius, then in PATH; one with a slash is relative to the file. Further \
            keys: endpoint (default: a private socket), client-endpoint (default: the port after endpoint's, or its \
            path with '-client' behind it; 'none' for none), stop-grace (default: 10s), environment; and of the \
            coordinator or a pool: environment, working-directory, stop-grace, restart, health, log; and of a pool: \
            replicas, which may be auto(1...8), scaling, ready-after, concurrency. The page 'Launching a fleet' \
            describes each.

            While it runs, 'mobius scale' changes the number of workers, 'mobius replace' brings in new ones or a new \
            coordinator, 'mobius restart coordinator' restarts it, and 'mobius status --watch' shows the fleet.

            The log shows the endpoint for clients such as 'mobius send'; the fleet's processes find it in \
            MOBIUS_CONNECT_CLIENT.

            Workers that end are restarted, and so is a coordinator that a signal ended: after 100 ms, then 200 ms, up \
            to 5 s; SIGTERM sent to the coordinator by hand is such a signal. A worker that ends again after 10 \
            restarts within a minute is given up, and the rest of the fleet runs on; 'mobius status' shows it, and \
            'mobius scale' starts it anew. A coordinator that does so ends the fleet. The key restart changes these \
            rules. When the coordinator exits, the workers are stopped and mobius up exits with the \
            coordinator's code. SIGINT (Ctrl-C), SIGTERM and SIGHUP stop the workers first, then the coordinator; a \
            second signal kills all at once.

            Exit codes: the coordinator's (128 + n when signal n ended it); 64 when the command line or the file is \
            invalid, or a worker's first run reports that of its own; 66 when the file cannot be read; 69 when a command cannot be \
            started; 70 when the coordinator ended too often; 77 or 78 when a worker's first run reports that it is refused, or \
            configured wrongly; 73 when no folder for the socket, no socket or no pipe can be made; 128 + n after two \
            signals, the second being n.

            Examples:
              mobius up Deploy/site-audit.yaml -- --start https://example.org
              mobius up Deploy/site-audit.yaml --scale page-fetcher=4
              mobius up Deploy/site-audit.yaml --http 8080
              mobius up Deploy/site-audit.yaml --dry-run
            """)

    @Argument(help: "The topology file.", completion: .file(extensions: ["yaml", "yml"]))
    var file: String

    @Flag(name: .customLong("dry-run"), help: "Print the commands and environments instead of starting them.")
    var dryRun = false

    @Option(
        help: ArgumentHelp(
            "A pool and its number of workers, instead of the number in the file; may be repeated.",
            valueName: "pool=count"))
    var scale: [ScaleArgument] = []

    @Option(
        help: ArgumentHelp(
            "Serve the loops over HTTP there, by mobius-serve beside the fleet; a port alone means loopback.",
            valueName: "address"))
    var http: String?

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
            let launch = try FleetLaunch(
                file: file, scaledBy: scale.map(\.order), http: http, coordinatorArguments: coordinatorArguments,
                environment: ProcessInfo.processInfo.environment)
            if dryRun { return print(try launch.describe(), terminator: "") }
            try await launch.run(isRaw: rawOutput) { try logging.bootstrap(label: "mobius", write: $0) }
        }
    }
}
