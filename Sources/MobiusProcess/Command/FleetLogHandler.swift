package import Foundation
public import Logging

/// Writes log events to stderr, one line each: `2026-03-01T12:34:56.789Z info site-audit: Page fetched url=/a`.
///
/// Time is UTC. A line is written by one system call, so lines of several threads and processes do not mix as long as
/// they are shorter than a pipe's atomic size (4096 bytes on Linux). Control characters in values are escaped: one
/// event is one line, and text from peers cannot control a terminal.
public struct FleetLogHandler: LogHandler {
    /// Events below it are not written.
    public var logLevel: Logger.Level
    /// The metadata of every line.
    public var metadata: Logger.Metadata = [:]
    /// The provider of further metadata (task-local values), called per event.
    public var metadataProvider: Logger.MetadataProvider?

    private let label: String
    private let write: @Sendable (String) -> Void

    /// Makes a handler that writes to stderr.
    public init(label: String, logLevel: Logger.Level) {
        self.init(label: label, logLevel: logLevel) { line in
            StandardError.write(line)
        }
    }

    /// Makes a handler that gives every line, with its line break, to a closure; the logging thread calls it.
    public init(label: String, logLevel: Logger.Level, write: @escaping @Sendable (String) -> Void) {
        self.label = label
        self.logLevel = logLevel
        self.write = write
    }

    /// Reads and writes one key of the metadata.
    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Writes the event.
    public func log(event: LogEvent) {
        var all = metadata
        all.merge(metadataProvider?.get() ?? [:]) { _, new in new }
        all.merge(event.metadata ?? [:]) { _, new in new }
        if let error = event.error {
            all["error"] = "\(error)"
        }
        write(Self.line(time: Date(), level: event.level, label: label, message: "\(event.message)", metadata: all))
    }

    /// The text of an event, with its line break.
    package static func line(
        time: Date, level: Logger.Level, label: String, message: String, metadata: Logger.Metadata
    ) -> String {
        var line = time.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        line += " \(level.rawValue) \(label): \(TerminalText.line(message))"
        for (key, value) in metadata.sorted(by: { $0.key < $1.key }) {
            line += " \(TerminalText.line(key))=\(quotedIfNeeded("\(value)"))"
        }
        return line + "\n"
    }

    private static func quotedIfNeeded(_ text: String) -> String {
        let clean = TerminalText.line(text)
        guard clean.isEmpty || clean.contains(where: { $0 == " " || $0 == "\"" || $0 == "=" }) else { return clean }
        return "\"" + clean.replacingOccurrences(of: "\"", with: "\\\"") + "\""
    }
}
