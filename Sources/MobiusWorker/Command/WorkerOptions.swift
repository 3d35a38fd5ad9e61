public import ArgumentParser
public import MobiusProcess
import MobiusTransport

/// The command-line options of every worker.
public struct WorkerOptions: ParsableArguments {
    /// The endpoint as given on the command line; nil when absent.
    @Option(
        name: .customLong("connect"),
        help: ArgumentHelp(
            "The coordinator to work for, or several that share a journal, separated by commas "
                + "(default: MOBIUS_CONNECT, or \(WorkerSettings.defaultEndpoint)).",
            valueName: "endpoints"))
    public var commandLineConnect: String?

    /// The key file as given on the command line; nil when absent.
    @Option(
        name: [.customLong("key"), .customLong("key-file")],
        help: ArgumentHelp(
            "The file with the worker's key, made by `mobius keys new` (default: MOBIUS_KEY, or none).",
            valueName: "file"))
    public var commandLineKey: String?

    /// The concurrency as given on the command line; nil when absent.
    @Option(
        name: .customLong("concurrency"),
        help: ArgumentHelp(
            "The number of effects to run at once (default: MOBIUS_CONCURRENCY, or 16).", valueName: "number"))
    public var commandLineConcurrency: Int?

    /// The drain time-out as given on the command line; nil when absent.
    @Option(
        name: .customLong("drain-timeout"),
        help: ArgumentHelp(
            "The time to finish running effects after SIGTERM or SIGINT (default: MOBIUS_DRAIN_TIMEOUT, or 30s).",
            valueName: "time"))
    public var commandLineDrainTimeout: DurationArgument?

    /// The name as given on the command line; nil when absent.
    @Option(
        name: .customLong("name"),
        help: ArgumentHelp(
            "The name of this worker in `mobius status` (default: MOBIUS_WORKER_NAME, or none).", valueName: "name"))
    public var commandLineName: String?

    /// Creates the options; ArgumentParser calls it.
    public init() {}

    /// Checks the values before the command runs.
    ///
    /// - Throws: `ValidationError` if the concurrency is less than 1, or an error if `MOBIUS_CONCURRENCY` is invalid.
    public func validate() throws {
        guard try concurrency() >= 1 else {
            throw ValidationError("--concurrency must be at least 1.")
        }
    }

    private func key() throws -> PeerKey? {
        let file: String? = try FleetEnvironment.value(commandLineKey, "MOBIUS_KEY")
        do throws(KeyError) {
            guard let file else { return nil }
            return try PeerKey(file: file)
        } catch {
            throw FleetExit(.configuration, error.message)
        }
    }

    private func concurrency() throws -> Int {
        try FleetEnvironment.value(commandLineConcurrency, "MOBIUS_CONCURRENCY", default: 16)
    }

    /// The settings of a worker of this pool, from the options, the environment and the defaults, in this order.
    ///
    /// - Throws: `FleetExit` if the key cannot be used, or an error if an environment variable is invalid.
    public func settings(pool: String) throws -> WorkerSettings {
        var settings = WorkerSettings(
            pools: [pool],
            connect: try FleetEnvironment.value(
                commandLineConnect, "MOBIUS_CONNECT", default: WorkerSettings.defaultEndpoint),
            concurrency: try concurrency(),
            drainTimeout: try FleetEnvironment.value(
                commandLineDrainTimeout, "MOBIUS_DRAIN_TIMEOUT", default: DurationArgument(.seconds(30))
            ).duration,
            build: FleetVersion.current, key: try key())
        settings.name = try FleetEnvironment.value(commandLineName, "MOBIUS_WORKER_NAME", default: "")
        return settings
    }
}
