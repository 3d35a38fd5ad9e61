package import Logging

/// Loggers of commands that print results and log nothing but warnings.
package enum CommandLog {
    /// Writes warnings and errors to standard error.
    package static let warnings = Logger(label: "mobius") { FleetLogHandler(label: $0, logLevel: .warning) }

    /// Writes nothing, for commands with a view on the terminal.
    package static let silent = Logger(label: "mobius") { _ in SwiftLogNoOpLogHandler() }
}
