public import MobiusWire

/// What ``JournalInspector/verify(_:)`` has found.
public struct JournalReport: Sendable {
    /// One thing that is not as it must be.
    public struct Finding: Equatable, Sendable, CustomStringConvertible {
        /// What sort of thing; more may come, so match with a default.
        public struct Kind: Hashable, Sendable, CustomStringConvertible {
            private let name: String

            private init(_ name: String) {
                self.name = name
            }

            /// SQLite cannot read the file, or its own check has found something.
            public static let file = Kind("file")
            /// A row is not what was written, or cannot be read.
            public static let row = Kind("row")
            /// Records are missing.
            public static let gap = Kind("gap")
            /// What was committed last is missing.
            public static let tail = Kind("tail")
            /// A source was applied twice.
            public static let doubledSource = Kind("doubledSource")
            /// A record names an effect that was not asked for, or had ended.
            public static let foreignEffect = Kind("foreignEffect")
            /// A snapshot is not what was written, or contradicts the records.
            public static let snapshot = Kind("snapshot")
            /// A key, dead letter or note on a crash is not what was written, or is missing.
            public static let table = Kind("table")

            /// The kind's name.
            public var description: String { name }
        }

        /// What sort of thing.
        public let kind: Kind
        /// The loop, where it is about one.
        public let loop: LoopID?
        /// The event, where it is about one.
        public let sequence: UInt64?
        /// One sentence for the operator; it never holds payload bytes.
        public let message: String

        /// The sentence.
        public var description: String { message }
    }

    /// How many are listed at most.
    public static let maximumFindings = 1000

    /// How many records were read.
    public internal(set) var records = 0
    /// How many snapshots were read.
    public internal(set) var snapshots = 0
    /// How many loops there are.
    public internal(set) var loops = 0
    /// What was found, at most ``maximumFindings``.
    public private(set) var findings: [Finding] = []

    /// Whether nothing was found.
    public var isSound: Bool { findings.isEmpty }

    mutating func add(_ kind: Finding.Kind, _ loop: LoopID?, _ sequence: UInt64?, _ message: String) {
        guard findings.count < Self.maximumFindings else { return }
        findings.append(Finding(kind: kind, loop: loop, sequence: sequence, message: message))
    }
}
