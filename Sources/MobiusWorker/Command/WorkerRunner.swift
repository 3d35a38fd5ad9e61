import ArgumentParser
import Logging
import MobiusCore
import MobiusProcess
import MobiusProgram
import MobiusRuntime
import ServiceLifecycle

/// The command behind a ``WorkerCommand``: the app's options and the standard ones.
struct WorkerRunner<App: WorkerCommand>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        let name = ExecutableName.current
        return CommandConfiguration(
            commandName: name, abstract: App.abstract,
            discussion: """
                Examples:
                  \(name) --connect tcp://127.0.0.1:5701 --concurrency 64
                  \(name) --connect tcp://coordinator:5701 --key \(name).key

                Start any number of workers, on any host, before or after the coordinator: they share the work.
                """,
            version: ExecutableName.version)
    }

    @OptionGroup var app: App
    @OptionGroup(title: "Worker") var options: WorkerOptions
    @OptionGroup(title: "Telemetry") var telemetry: TelemetryOptions
    @OptionGroup(title: "Logging") var logging: LoggingOptions

    func run() async throws {
        try await FleetExit.reporting {
            let logger = try logging.bootstrap(label: ExecutableName.current)
            var settings = try options.settings(pool: App.pool)
            settings.http = try telemetry.http()
            app.configure(&settings)
            try check(settings.pools)
            // Read once, as the protocol promises: an app may open files there.
            let routers = app.handlers.routers
            let erased = ErasedRouter(EffectRouter<ErasedValue, ErasedValue>()).typeName
            guard routers.contains(where: { $0.typeName != erased }) else {
                throw FleetExit(
                    .software, "\(App.self) has no handlers: write `handler`, or `handlers` for several programs.")
            }
            let worker = Worker<App.Effect, App.Event>(settings, routers, logger)
            do {
                try await FleetServices.run([worker], logger: logger)
            } catch let error as WorkerError {
                await app.shutdown()
                throw FleetExit(error.exitCode, error.description)
            }
            await app.shutdown()
        }
    }
}

extension WorkerRunner {
    /// Refuses to serve other pools than the one for which `mobius up` started this program.
    private func check(_ pools: [String]) throws {
        guard let expected: String = try FleetEnvironment.value(nil, "MOBIUS_POOL"), !pools.contains(expected) else {
            return
        }
        throw FleetExit(
            .usage,
            "This program serves the pool \(pools.joined(separator: ", ")), but it was started for the pool \(expected) "
                + "(MOBIUS_POOL): correct the command of that pool in the topology file, or rename the pool there.")
    }
}

extension WorkerError {
    fileprivate var exitCode: ExitCode {
        switch code {
        case .forbidden: .notPermitted
        case .unprotected: .configuration
        default: .unavailable
        }
    }
}
