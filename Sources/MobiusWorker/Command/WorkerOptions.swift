public import ArgumentParser
public import MobiusCommand
import MobiusKeys

/// The options that every worker has.
public struct WorkerOptions: ParsableArguments {
    /// The endpoint as given on the command line; nil when absent.
    @Option(
        name: .customLong("connect"),
        help: ArgumentHelp(
            "The coordinator to work for (default: MOBIUS_CONNECT, or \(WorkerSettings.defaultEndpoint)).",
            valueName: "endpoint"))
    public var commandLineConnect: String?

    /// The key file as given on the command line; nil when absent.
    @Option(
        name: [.customLong("key"), .customLong("key-file")],
        help: ArgumentHelp(
            "The key to prove itself with, a file that `mobius keys new` made (default: MOBIUS_KEY, or none).",
            valueName: "file"))
    public var commandLineKey: String?

    /// The concurrency as given on the command line; nil when absent.
    @Option(
        name: .customLong("concurrency"),
        help: ArgumentHelp(
            "How many effects to run at once (default: MOBIUS_CONCURRENCY, or 16).", valueName: "number"))
    public var commandLineConcurrency: Int?

    /// The drain time-out as given on the command line; nil when absent.
    @Option(
        name: .customLong("drain-timeout"),
        help: ArgumentHelp(
            "How long to finish what is running when told to stop (default: MOBIUS_DRAIN_TIMEOUT, or 30s).",
            valueName: "time"))
    public var commandLineDrainTimeout: DurationArgument?

    /// The name as given on the command line; nil when absent.
    @Option(
        name: .customLong("name"),
        help: ArgumentHelp(
            "What mobius status calls this worker (default: MOBIUS_WORKER_NAME, or nothing).", valueName: "name"))
    public var commandLineName: String?

    /// Made by ArgumentParser.
    public init() {}

    /// Rejects values that make no sense, before the command runs.
    public func validate() throws {
        guard try concurrency() >= 1 else {
            throw ValidationError("--concurrency must be at least 1: a worker runs one effect at a time or more.")
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

    /// The settings in force for a worker of this pool.
    ///
    /// - Throws: `FleetExit` when the key cannot be used.
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
