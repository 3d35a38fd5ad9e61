public import ArgumentParser
public import Logging
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The option `--log-level`, and swift-log's set-up; use it with `@OptionGroup`.
///
/// Logs go to stderr, or to the file of `--log-file`, a line each (``FleetLogHandler``). The level is the option's, else
/// `MOBIUS_LOG_LEVEL`'s, else `info`.
public struct LoggingOptions: ParsableArguments {
    /// The level as given on the command line; nil when absent.
    @Option(
        name: .customLong("log-level"),
        help: ArgumentHelp("How much to log (default: MOBIUS_LOG_LEVEL, or info).", valueName: "level"))
    public var commandLineLevel: LogLevelArgument?

    /// The file as given on the command line; nil when absent.
    @Option(
        name: .customLong("log-file"),
        help: ArgumentHelp(
            "Append the log to this file (default: MOBIUS_LOG_FILE, or standard error).", valueName: "file"))
    public var commandLineFile: String?

    /// Made by ArgumentParser.
    public init() {}

    /// The name of the environment variable with the default level.
    public static let variable = "MOBIUS_LOG_LEVEL"

    /// The level in force.
    ///
    /// - Throws: `ValidationError` naming `MOBIUS_LOG_LEVEL` when its value is not a level; never after `validate()`.
    public func level() throws -> Logger.Level {
        try FleetEnvironment.value(commandLineLevel, Self.variable, default: LogLevelArgument(.info)).level
    }

    /// Rejects an environment variable that is not a level before the command runs.
    public func validate() throws {
        _ = try level()
    }

    private static let bootstrapped = Mutex(false)

    /// Makes swift-log write to stderr at the level in force; returns the process's logger.
    ///
    /// From then on standard output is written line by line, too.
    /// Only the first call of a process sets swift-log up (it takes one handler for good); later calls only return a
    /// logger of that set-up. Call it before anything makes a `Logger`.
    ///
    /// - Parameters:
    ///   - label: The label of the process's logger.
    ///   - hasTerminalView: Whether the program shows a view on the terminal. Then lines that would go to the same terminal
    ///     wait until the process exits, so that they do not disturb the view.
    /// - Throws: `FleetExit` 73 when the file of `--log-file` cannot be opened.
    @discardableResult
    public func bootstrap(label: String, hasTerminalView: Bool = false) throws -> Logger {
        if let path = try FleetEnvironment.value(commandLineFile, "MOBIUS_LOG_FILE") {
            let file = try LogFile(path: path)
            return try bootstrap(label: label) { file.write($0) }
        }
        let waits = hasTerminalView && isatty(STDERR_FILENO) == 1
        return try bootstrap(label: label) { waits ? WaitingLog.append($0) : StandardError.write($0) }
    }

    /// The same with another place for the lines; the logging thread calls it.
    @discardableResult
    package func bootstrap(label: String, write: @escaping @Sendable (String) -> Void) throws -> Logger {
        let level = try level()
        Self.bootstrapped.withLock { done in
            guard !done else { return }
            done = true
            StandardOutput.bufferLines()
            LoggingSystem.bootstrap { FleetLogHandler(label: $0, logLevel: level, write: write) }
        }
        return Logger(label: label)
    }
}
