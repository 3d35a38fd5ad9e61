/// The reason why a journal could not be opened, read or written.
public struct JournalError: Error, CustomStringConvertible {
    /// The kind of error; codes may be added, so match with a default.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name.
        public let description: String

        private init(_ name: String) {
            description = name
        }

        /// The file cannot be created or written: no such folder, no permission, a full disk.
        public static let notWritable = Code("notWritable")
        /// The file is not there, or may not be read; or the database does not answer.
        public static let notReadable = Code("notReadable")
        /// The content differs from what was written: a broken file, a gap, a wrong hash, a lost tail, another
        /// program's change.
        public static let damaged = Code("damaged")
        /// The database has lost events that this process saw committed: it was restored, or a replica took over that lagged.
        public static let lost = Code("lost")
        /// The file is a database, but not a journal of this program: another database, another program's journal, or
        /// one of a newer format.
        public static let foreign = Code("foreign")
        /// Another process has it open; the message names its pid.
        public static let held = Code("held")
        /// A commit contradicts the journal, such as a source that was applied before; no part of it is kept.
        public static let conflict = Code("conflict")
        /// The connection to the database was lost during a commit, so it may be kept or not.
        ///
        /// The write must not be tried again: its process drops what it has in memory, opens the journal again and reads.
        public static let outcomeUnknown = Code("outcomeUnknown")
        /// Another process has opened the journal since and owns it now; nothing of the commit was kept.
        public static let fenced = Code("fenced")
        /// This build cannot open journals of the URL's scheme.
        public static let unsupported = Code("unsupported")
    }

    /// The kind of error.
    public let code: Code
    /// A message for the operator, with what to do.
    ///
    /// It never holds payload bytes.
    public let message: String
    /// The error of the layer below, where there is one.
    public let underlying: (any Error)?

    /// Makes an error.
    public init(_ code: Code, _ message: String, underlying: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.underlying = underlying
    }

    /// The message, with the underlying error in parentheses.
    public var description: String {
        guard let underlying else { return message }
        return "\(message) (\(underlying))"
    }
}

extension JournalError {
    /// Whether a later opening, by this process or another, may work.
    package var isPassing: Bool { [.outcomeUnknown, .notReadable, .notWritable, .fenced, .held].contains(code) }

    /// The content of the journal shown as `path` is not what was written.
    package static func damaged(_ path: String, _ how: String, underlying: (any Error)? = nil) -> JournalError {
        JournalError(
            .damaged,
            "The journal \(path) is damaged: \(how). Restore it from a backup, or choose another --journal FILE to "
                + "begin anew.",
            underlying: underlying)
    }
}
