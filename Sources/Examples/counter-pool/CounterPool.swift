import ArgumentParser
import Counter
import CounterTerminal
import Logging
import MobiusCoordinator
import MobiusCore
import MobiusProcess

/// The second stage: the same loop, its effects in worker processes.
@main struct CounterPool: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "counter-pool",
        abstract: "Counts up and down at the terminal; sound-player processes play its sounds.",
        discussion: """
            Examples:
              sound-player &
              counter-pool
              counter-pool --bind tcp://0.0.0.0:5701 --state count.json

            Keys, in lines: + more, - less, p pause and go on, q quit. The end of the input quits, too; so does Ctrl-C.
            """)

    @Option(
        name: .customLong("bind"),
        help: ArgumentHelp(
            "Where workers reach this process (default: MOBIUS_BIND, or \(CoordinatorSettings.defaultEndpoint)).",
            valueName: "endpoint"))
    var commandLineBind: String?
    @OptionGroup(title: "Counter") var terminal: TerminalOptions
    @OptionGroup(title: "Logging") var logging: LoggingOptions

    static func main() async {
        StandardOutput.checkAtExit()
        await main(nil)
    }

    func run() async throws {
        try await FleetExit.reporting {
            let logger = try logging.bootstrap(label: "counter", hasTerminalView: true)
            let bind = try FleetEnvironment.value(
                commandLineBind, "MOBIUS_BIND", default: CoordinatorSettings.defaultEndpoint)
            let pool = try openPool(bind, logger)
            let loop = Mobius.loop(Counter.self, effectHandler: pool)
            do {
                try await FleetServices.run([CounterApp(loop, on: Screen(), state: terminal.state)], logger: logger)
            } catch {
                await close(pool)
                throw error
            }
            await close(pool)
        }
    }

    private func openPool(_ bind: String, _ logger: Logger) throws -> WorkerPool<Counter.Effect, Counter.Event> {
        do {
            return try WorkerPool(Counter.routes, bind: bind, logger: logger)
        } catch {
            throw FleetExit(.unavailable, error.description)
        }
    }

    private func close(_ pool: WorkerPool<Counter.Effect, Counter.Event>) async {
        pool.close()
        await pool.closed()
    }
}
