import ArgumentParser
import MobiusCommand
import MobiusLauncher

/// The command `mobius scale POOL=COUNT…`.
struct Scale: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Changes how many workers the pools of a running fleet have.",
        discussion: """
            Asks the mobius up of this user on this machine. It starts workers at once; those with the highest numbers end \
            first, which means that they take nothing new, finish what they run within their stop-grace, and hand back the \
            rest. The topology file stays as it is: the next mobius up begins with its numbers.

            COUNT is a number, auto(1...8) for as many as the work needs, or auto for the range in the file.

            Exit codes: 0 when it is on its way; 64 when there is no such pool, or several fleets run; 69 when none does; \
            75 when the fleet stops, or the workers of the pool are being replaced.

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
            try control.find().order(ControlRequest(command: .scale, pools: orders))
        }
    }
}

/// The command `mobius replace POOL`.
struct Replace: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Replaces the workers of a pool by new ones, one after the other.",
        discussion: """
            For a new build of the worker, or one that should begin afresh. Each time a new worker starts, and when the \
            coordinator has a session with it an old one ends: it takes nothing new, finishes what it runs within its \
            stop-grace, and hands back the rest. So nothing is lost, and the pool is never smaller than it was. When a new \
            worker is not ready within a minute, or ends before, the old ones that are left stay.

            It prints what happens, and returns when all are replaced. Ended before, by Ctrl-C, it leaves mobius up to go on.

            Exit codes: 0 when all are replaced; 1 when a new worker was not ready; 64 when there is no such pool, or several \
            fleets run; 69 when none does, or mobius up ended meanwhile; 75 when the fleet stops, or they are being replaced \
            already.

            Example:
              mobius replace page-fetcher
            """)

    @Argument(help: "The pool.")
    var pool: String

    @OptionGroup(title: "Fleet") var control: ControlOptions

    func run() async throws {
        try await FleetExit.reporting {
            try control.find().order(ControlRequest(command: .replace, pool: pool))
        }
    }
}

/// `pool=3`, `pool=auto(1...8)` or `pool=auto` on the command line.
struct ScaleArgument: ExpressibleByArgument, Equatable, Sendable {
    let order: Supervisor.ScaleOrder
    /// What stands behind the `=`.
    let count: String

    init?(argument: String) {
        guard let sign = argument.firstIndex(of: "=") else { return nil }
        count = String(argument[argument.index(after: sign)...])
        guard let order = Supervisor.ScaleOrder(String(argument[..<sign]), count: count) else { return nil }
        self.order = order
    }
}
