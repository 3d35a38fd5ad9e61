public import MobiusWire

/// The result of verifying a journal: what was read, and what is wrong with it.
public struct JournalReport: Sendable {
    /// One piece of damage or inconsistency.
    public struct Finding: Equatable, Sendable, CustomStringConvertible {
        /// The kind of damage; more kinds may be added, so match with a default.
        public struct Kind: Hashable, Sendable, CustomStringConvertible {
            private let name: String

            private init(_ name: String) {
                self.name = name
            }

            /// SQLite cannot read the file, or its own check reports an error.
            public static let file = Kind("file")
            /// A row is not what was written, or cannot be read.
            public static let row = Kind("row")
            /// Records are missing.
            public static let gap = Kind("gap")
            /// The last commits are missing.
            public static let tail = Kind("tail")
            /// A source was applied twice.
            public static let duplicateSource = Kind("duplicateSource")
            /// A record is about an effect that was not requested or had ended.
            public static let foreignEffect = Kind("foreignEffect")
            /// A snapshot is not what was written, or contradicts the records.
            public static let snapshot = Kind("snapshot")
            /// A key, dead letter or crash is not what was written, or is missing.
            public static let table = Kind("table")

            /// The kind's name.
            public var description: String { name }
        }

        /// The kind of damage.
        public let kind: Kind
        /// The loop that it concerns, if any.
        public let loop: LoopID?
        /// The event that it concerns, if any.
        public let sequence: UInt64?
        /// One sentence for the operator; it never contains payload bytes.
        public let message: String

        /// The message.
        public var description: String { message }
    }

    /// The maximum number of findings in a report.
    public static let maximumFindings = 1000

    /// Nothing has been read.
    package init() {}

    /// The number of records read.
    public package(set) var records = 0
    /// The number of snapshots read.
    public package(set) var snapshots = 0
    /// The number of loops.
    public package(set) var loops = 0
    /// The findings, at most ``maximumFindings``.
    public private(set) var findings: [Finding] = []

    /// Whether there are no findings.
    public var isSound: Bool { findings.isEmpty }

    /// Adds a finding, unless there are too many.
    package mutating func add(_ kind: Finding.Kind, _ loop: LoopID?, _ sequence: UInt64?, _ message: String) {
        guard findings.count < Self.maximumFindings else { return }
        findings.append(Finding(kind: kind, loop: loop, sequence: sequence, message: message))
    }
}
