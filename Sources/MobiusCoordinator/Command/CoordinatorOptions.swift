public import ArgumentParser
import MobiusEngine
public import MobiusProcess
import MobiusWire

/// The command-line options of every coordinator.
public struct CoordinatorOptions: ParsableArguments {
    /// The endpoint as given on the command line; nil when absent.
    @Option(
        name: .customLong("bind"),
        help: ArgumentHelp(
            "Where workers reach this coordinator (default: MOBIUS_BIND, or \(CoordinatorSettings.defaultEndpoint)).",
            valueName: "endpoint"))
    public var commandLineBind: String?

    /// The journal as given on the command line; nil when absent.
    @Option(
        name: .customLong("journal"),
        help: ArgumentHelp(
            "The file in which every event is kept, a postgresql:// URL, or `none` (default: MOBIUS_JOURNAL, or "
                + "NAME.journal here).",
            valueName: "file"))
    public var commandLineJournal: String?

    /// The endpoint for clients as given on the command line; nil when absent.
    @Option(
        name: .customLong("client-bind"),
        help: ArgumentHelp(
            "Where clients reach it, or `none` (default: MOBIUS_CLIENT_BIND, or the port after --bind's).",
            valueName: "endpoint"))
    public var commandLineClientBind: String?

    /// The folder of keys as given on the command line; nil when absent.
    @Option(
        name: .customLong("keys"),
        help: ArgumentHelp(
            "Who may connect: a folder that `mobius keys` made (default: MOBIUS_KEYS, or everybody of this machine).",
            valueName: "folder"))
    public var commandLineKeys: String?

    /// The largest payload as given on the command line; nil when absent.
    @Option(
        name: .customLong("max-payload"),
        help: ArgumentHelp(
            "The largest event or effect, 1KiB to 256MiB (default: MOBIUS_MAX_PAYLOAD, or 4MiB).", valueName: "size"))
    public var commandLineMaxPayload: SizeArgument?

    /// The most loops as given on the command line; nil when absent.
    @Option(
        name: .customLong("max-loops"),
        help: ArgumentHelp(
            "The most loops, ended ones that are kept included (default: MOBIUS_MAX_LOOPS, or 2000000).",
            valueName: "number"))
    public var commandLineMaxLoops: Int?

    /// The part of the past that the journal keeps, as given on the command line; nil when absent.
    @Option(
        name: .customLong("keep-history"), defaultAsFlag: KeptHistoryArgument.all, parsing: .next,
        help: ArgumentHelp(
            "Keep superseded events, too: all, or a window such as 30d, 10GiB, or 30d,10GiB, whichever ends first.",
            valueName: "window"))
    public var keepHistory: KeptHistoryArgument?

    /// The time for which an ended loop's data stays, as given on the command line; nil when absent.
    @Option(
        name: .customLong("keep-ended"),
        help: ArgumentHelp(
            "How long an ended loop can be read, such as 30d or 12h, or `forever` (default: 30d).", valueName: "time"))
    public var keepEnded: KeptTimeArgument?

    /// The time for which unused loops stay in memory, as given on the command line; nil when absent.
    @Option(
        name: .customLong("idle-after"),
        help: ArgumentHelp(
            "How long a loop without effects stays in memory unused, or `never` (default: MOBIUS_IDLE_AFTER, or 1m).",
            valueName: "time"))
    public var commandLineIdleAfter: String?

    /// The time that the lease of a shared journal lasts, as given on the command line; nil when absent.
    @Option(
        name: .customLong("lease"),
        help: ArgumentHelp(
            "With a postgresql:// journal: how long its loops stand still at most when their host is lost, 1s to 60s "
                + "(default: MOBIUS_LEASE, or 4s).", valueName: "time"))
    public var commandLineLease: String?

    /// The endpoint of this coordinator for workers while it runs the loops, as given on the command line; nil when
    /// absent.
    @Option(
        name: .customLong("owner-bind"),
        help: ArgumentHelp(
            "With a postgresql:// journal: where workers reach this coordinator while it runs the loops (default: "
                + "MOBIUS_OWNER_BIND, or a free port).", valueName: "endpoint"))
    public var commandLineOwnerBind: String?

    /// The host that others are told, as given on the command line; nil when absent.
    @Option(
        name: .customLong("advertise"),
        help: ArgumentHelp(
            "With a postgresql:// journal: the name or address of this host that workers and clients are told (default: "
                + "MOBIUS_ADVERTISE, or the host's name).", valueName: "host"))
    public var commandLineAdvertise: String?

    /// Whether to verify the journal and exit, instead of running the coordinator.
    @Flag(
        name: .customLong("verify"),
        help: "Replay the journal's events, compare with its snapshots, and exit: 0 if they agree, 74 if not."
    )
    public var verify = false

    /// The loop whose events to replay, instead of running the coordinator; nil to run.
    @Option(
        name: .customLong("replay"),
        help: ArgumentHelp(
            "Replay the kept events of a loop, print each with its model and effects as a JSON line, and exit.",
            valueName: "loop"))
    public var replay: String?

    /// Whether to replay the events of all loops, instead of running the coordinator.
    @Flag(
        name: .customLong("replay-all"),
        help: "The same for all loops, one after the other; a loop that cannot be replayed has a line with the reason.")
    public var replayAll = false

    /// Whether a replay prints digests only.
    @Flag(
        name: .customLong("digests"),
        help: """
            With --replay-all: print digests of what has changed in the model and of the effects, as `mobius compare` reads them.
            """)
    public var digests = false

    /// Whether to print the forms of the program's types and exit, instead of running the coordinator.
    @Flag(
        name: .customLong("schema"),
        help:
            "Print the forms of the events, effects and models as a JSON Schema, and exit: see `mobius check-evolution`."
    )
    public var schema = false

    /// The event whose model alone a replay prints.
    @Option(
        name: .customLong("at"),
        help: ArgumentHelp("With --replay: print only the model after this event.", valueName: "event"))
    public var at: UInt64?

    /// Makes options with their defaults; ArgumentParser calls it.
    public init() {}

    /// Rejects invalid values before the command runs.
    ///
    /// - Throws: `ValidationError` for a payload limit outside 1 KiB to 256 MiB, fewer than one loop, a wrong time, lease or host, and a wrong
    ///   `--keep-history` or `--replay`.
    public func validate() throws {
        _ = try maximumPayload()
        _ = try idleAfter()
        _ = try lease()
        _ = try advertised()
        _ = try maximumLoops()
        if let keepHistory, keepHistory.kept == nil {
            throw ValidationError(
                "--keep-history must be all, a time such as 30d, a size such as 10GiB, or both such as 30d,10GiB, not "
                    + "\(keepHistory.text). Before an argument of the program write --keep-history=all.")
        }
        guard replay.map({ LoopID($0) != nil }) ?? true else {
            throw ValidationError("--replay needs the name of a loop: 1 to 128 bytes.")
        }
        guard at == nil || replay != nil else { throw ValidationError("--at goes with --replay.") }
        guard [verify, replay != nil, replayAll, schema].count(where: \.self) < 2 else {
            throw ValidationError("--verify, --replay, --replay-all and --schema do not go together.")
        }
        guard !digests || replayAll else { throw ValidationError("--digests goes with --replay-all.") }
    }

    private func maximumLoops() throws -> Int {
        let most = try FleetEnvironment.value(
            commandLineMaxLoops, "MOBIUS_MAX_LOOPS", default: CoordinatorConfiguration.defaultMaximumLoops)
        guard most > 0 else {
            throw ValidationError("The most loops (--max-loops, MOBIUS_MAX_LOOPS) must be 1 or more, not \(most).")
        }
        return most
    }

    private func maximumPayload() throws -> UInt32 {
        let standard = SizeArgument(bytes: Int(PayloadLimit.standard))
        let size = try FleetEnvironment.value(commandLineMaxPayload, "MOBIUS_MAX_PAYLOAD", default: standard)
        guard let bytes = UInt32(exactly: size.bytes), PayloadLimit.range.contains(bytes) else {
            throw ValidationError(
                "The largest payload (--max-payload, MOBIUS_MAX_PAYLOAD) must be 1KiB to 256MiB, not \(size).")
        }
        return bytes
    }

    private func lease() throws -> LeaseTiming {
        let text = try FleetEnvironment.value(commandLineLease, "MOBIUS_LEASE", default: "4s")
        guard let time = DurationArgument(argument: text), (.seconds(1) ... .seconds(60)).contains(time.duration) else {
            throw ValidationError("A lease (--lease, MOBIUS_LEASE) lasts 1s to 60s, not \(text).")
        }
        return LeaseTiming(lease: time.duration)
    }

    private func advertised() throws -> String? {
        let host: String? = try FleetEnvironment.value(commandLineAdvertise, "MOBIUS_ADVERTISE")
        guard host.map({ Moved.isPossible(endpoint: "tcp://\($0):1") }) ?? true else {
            throw ValidationError(
                "The host that others are told (--advertise, MOBIUS_ADVERTISE) must be a name or an address without a port, "
                    + "not \(host ?? "").")
        }
        return host
    }

    private func idleAfter() throws -> Duration? {
        let text = try FleetEnvironment.value(commandLineIdleAfter, "MOBIUS_IDLE_AFTER", default: "1m")
        if text == "never" { return nil }
        guard let time = DurationArgument(argument: text), time.duration > .zero else {
            throw ValidationError(
                "The time after which loops leave memory (--idle-after, MOBIUS_IDLE_AFTER) must be a time, such as 60s, "
                    + "or never, not \(text).")
        }
        return time.duration
    }

    /// Makes the settings for a program with this name from options, environment variables and defaults, in this order.
    ///
    /// - Throws: an error for an invalid environment variable or payload limit.
    public func settings(name: String) throws -> CoordinatorSettings {
        let bind = try FleetEnvironment.value(
            commandLineBind, "MOBIUS_BIND", default: CoordinatorSettings.defaultEndpoint)
        let journal = try FleetEnvironment.value(commandLineJournal, "MOBIUS_JOURNAL", default: "\(name).journal")
        var settings = CoordinatorSettings(name: name, bind: bind, journal: CoordinatorSettings.Journal(journal))
        let clientBind = try FleetEnvironment.value(
            commandLineClientBind, "MOBIUS_CLIENT_BIND", default: settings.clientBind ?? "none")
        settings.clientBind = clientBind == "none" ? nil : clientBind
        settings.keys = try FleetEnvironment.value(commandLineKeys, "MOBIUS_KEYS")
        if let kept = keepHistory?.kept { settings.history = kept }
        if let keepEnded { settings.keepEnded = keepEnded.duration }
        settings.maximumPayload = try maximumPayload()
        settings.idleAfter = try idleAfter()
        settings.lease = try lease()
        settings.ownerBind = try FleetEnvironment.value(commandLineOwnerBind, "MOBIUS_OWNER_BIND")
        settings.advertisedHost = try advertised()
        settings.maximumLoops = try maximumLoops()
        return settings
    }
}
