public import ArgumentParser
public import Logging

/// A log level on the command line: `trace`, `debug`, `info`, `notice`, `warning`, `error` or `critical`.
///
/// A separate type, to avoid a second conformance of swift-log's level to ArgumentParser's protocol in an app.
public struct LogLevelArgument: ExpressibleByArgument, Hashable, Sendable {
    /// swift-log's level.
    public let level: Logger.Level

    /// Wraps a level.
    public init(_ level: Logger.Level) {
        self.level = level
    }

    /// Parses a level's name in any case; nil for anything else.
    public init?(argument: String) {
        guard let level = Logger.Level(rawValue: argument.lowercased()) else { return nil }
        self.level = level
    }

    /// The names, for help and shell completion.
    public static var allValueStrings: [String] { Logger.Level.allCases.map(\.rawValue) }

    /// As printed in `--help`.
    public var defaultValueDescription: String { level.rawValue }
}
