import ArgumentParser
import MobiusLauncher
import MobiusProcess

/// The command `mobius scale POOL=COUNT…`.
struct Scale: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Changes how many workers the pools of a running fleet have.",
        discussion: """
            Sends the order to this user's mobius up on this machine. New workers start at once. When there are too \
            many, those with the highest numbers end: they take no new effects, finish those that they run within \
            their stop-grace, and hand back the rest. The topology file is not changed: the next mobius up begins with \
            its numbers.

            COUNT is a number, auto(1...8) for as many as the work needs, or auto for the range in the file.

            Exit codes: 0 when the change has begun; 64 when the pool does not exist, or several fleets run; 69 when \
            no fleet runs; 75 when the fleet is stopping, or the workers of the pool are being replaced.

            Examples:
              mobius scale page-fetcher=4
              mobius scale 'page-fetcher=auto(1...8)' report-writer=2
              mobius scale page-fetcher=auto --fleet site-audit
            """)

    @Argument(help: ArgumentHelp("Pools and how many workers each should have.", valueName: "pool=count"))
    var pools: [ScaleArgument]

    @OptionGroup(title: "Fleet") var control: ControlOptions

    func validate() throws {
        guard Set(pools.map(\.order.pool)).count == pools.count else {
            throw ValidationError("Each pool may be named once.")
        }
    }

    func run() async throws {
        try await FleetExit.reporting {
            let orders = Dictionary(uniqueKeysWithValues: pools.map { ($0.order.pool, $0.count) })
            try control.order(ControlRequest(command: .scale, pools: orders))
        }
    }
}

/// The command `mobius replace POOL`.
struct Replace: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Replaces the workers of a pool, or the coordinator, by those of a new build.",
        discussion: """
            Use it after installing a new build of the worker, or to restart the workers. One new worker starts at a \
            time. When the coordinator has a session with it, an old one ends: it takes no new effects, finishes those \
            that it runs within its stop-grace, and hands back the rest. So no effect is lost, and the pool never has \
            fewer workers than before. If a new worker ends, or is not ready within a minute, the remaining old ones \
            stay.

            With 'coordinator' in place of a pool it replaces the coordinator, whose file holds the new build: the new \
            build verifies the journal with --verify while the old one still runs; then the old one stops and the new \
            one starts. It is ready when its health check succeeds; without one, when it answers a client. If it ends \
            or is not ready in time, the old build is started again, even though its file was overwritten: mobius up \
            keeps it until a new one is ready. So a build that was refused is not started after a crash either, but \
            it is what the next mobius up would start. The workers stay, and no event and no effect is lost.

            It prints its progress, and returns when all is done. Ctrl-C ends the command, but mobius up completes the \
            replacement.

            Exit codes: 0 when all are replaced; 1 when a new worker, or the new coordinator, was not ready, or did not \
            verify the journal; 64 when the pool does not exist, or several fleets run; 69 when no fleet runs, or \
            mobius up ended meanwhile; 75 when the fleet is stopping, or a replacement is already under way.

            Examples:
              mobius replace page-fetcher
              mobius replace coordinator
              mobius replace coordinator --no-verify --ready-within 10m
            """)

    @Argument(help: ArgumentHelp("The pool, or 'coordinator'.", valueName: "pool"))
    var pool: String

    @Flag(name: .customLong("no-verify"), help: "For the coordinator: do not let the new build verify the journal.")
    var skipsVerification = false

    @OptionGroup(title: "Coordinator") var readiness: ReadinessOptions
    @OptionGroup(title: "Fleet") var control: ControlOptions

    func validate() throws {
        guard pool == ControlRequest.coordinator || !skipsVerification && readiness.limit == nil else {
            throw ValidationError("--no-verify and --ready-within are for the coordinator.")
        }
    }

    func run() async throws {
        try await FleetExit.reporting {
            var request = ControlRequest(command: .replace, pool: pool)
            request.verifies = !skipsVerification
            request.readyLimit = readiness.limit?.description
            try control.order(request)
        }
    }
}

/// `pool=3`, `pool=auto(1...8)` or `pool=auto` on the command line.
struct ScaleArgument: ExpressibleByArgument, Equatable, Sendable {
    let order: Supervisor.ScaleRequest
    /// The text after the `=`.
    let count: String

    init?(argument: String) {
        guard let sign = argument.firstIndex(of: "=") else { return nil }
        count = String(argument[argument.index(after: sign)...])
        guard let order = Supervisor.ScaleRequest(String(argument[..<sign]), count: count) else { return nil }
        self.order = order
    }
}
