import ArgumentParser
import MobiusLauncher
import MobiusProcess

/// The command `mobius restart coordinator`.
struct Restart: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Restarts the coordinator of a running fleet.",
        discussion: """
            Stops the coordinator within its stop-grace and starts its command again. The workers stay: they go on with \
            their effects, and report when the coordinator is back. No event and no effect is lost. It does not count \
            as a restart after a crash. To bring in a new build, use 'mobius replace coordinator', which can return to \
            the old one; after a replacement that was refused, the build that ran before is started again. New workers \
            replace those of a pool: 'mobius replace POOL'.

            It returns when the coordinator is ready: when its health check succeeds; without one, when it answers a \
            client.

            Exit codes: 0 when it is ready; 1 when it ended or was not ready in time; 64 when several fleets run; 69 \
            when no fleet runs, or mobius up ended meanwhile; 75 when the fleet is stopping, or the coordinator does \
            not run or is being replaced.

            Example:
              mobius restart coordinator
            """)

    @Argument(help: ArgumentHelp("'coordinator'.", valueName: "coordinator"))
    var process: String

    @OptionGroup(title: "Coordinator") var readiness: ReadinessOptions
    @OptionGroup(title: "Fleet") var control: ControlOptions

    func run() async throws {
        try await FleetExit.reporting {
            var request = ControlRequest(command: .restart, pool: process)
            request.readyLimit = readiness.limit?.description
            try control.order(request)
        }
    }
}

/// The options for the time that commands wait for a coordinator.
struct ReadinessOptions: ParsableArguments {
    @Option(
        name: .customLong("ready-within"),
        help: ArgumentHelp("How long a coordinator may take to become ready (default: 1m).", valueName: "time"))
    var limit: DurationArgument?
}
