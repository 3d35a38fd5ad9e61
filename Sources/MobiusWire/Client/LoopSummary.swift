/// A loop, as LIST-LOOPS shows it.
public struct LoopSummary: Hashable, Sendable {
    /// What a loop does now; states may be added, so match with a default.
    public struct State: RawRepresentable, Hashable, Sendable {
        /// The name on the wire and on screens, up to 255 bytes.
        public let rawValue: String

        /// Names a state.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// It has pending effects.
        public static let running = State(rawValue: "running")
        /// It waits for its next event.
        public static let idle = State(rawValue: "idle")
        /// An event in quarantine holds it.
        public static let held = State(rawValue: "held")
        /// It has ended: its last model and its history can still be read.
        public static let ended = State(rawValue: "ended")
    }

    /// Its name.
    public var loop: LoopID
    /// The number of its last event; the loop's start is 0.
    public var sequence: UInt64
    /// The number of its pending effects.
    public var pending: UInt64
    /// What it does now.
    public var state: State
    /// When its last event was applied, or when it ended; `nil` when the coordinator was started since and did not need that event again.
    public var time: WallTime?

    /// Describes a loop.
    public init(loop: LoopID, sequence: UInt64, pending: UInt64, state: State, time: WallTime? = nil) {
        self.loop = loop
        self.sequence = sequence
        self.pending = pending
        self.state = state
        self.time = time
    }
}

extension LoopSummary {
    private enum Tag {
        static let loop: UInt8 = 1
        static let sequence: UInt8 = 2
        static let pending: UInt8 = 3
        static let state: UInt8 = 4
        static let time: UInt8 = 5
    }

    func write(to writer: inout ByteWriter) {
        writer.field(Tag.loop) { $0.shortString(loop.name) }
        writer.field(Tag.sequence) { $0.uint64(sequence) }
        if pending > 0 { writer.field(Tag.pending) { $0.uint64(pending) } }
        writer.field(Tag.state) { $0.shortString(state.rawValue) }
        if let time { writer.field(Tag.time) { $0.wallTime(time) } }
    }

    init(from reader: inout WireReader) throws(WireError) {
        var loop: LoopID?
        var sequence: UInt64?
        var state: String?
        var summary = Self(loop: .main, sequence: 0, pending: 0, state: .idle)
        try reader.fields { (tag, value) throws(WireError) in
            switch tag {
            case Tag.loop: loop = try value.loop()
            case Tag.sequence: sequence = try value.uint64("sequence")
            case Tag.pending: summary.pending = try value.uint64("pending")
            case Tag.state: state = try value.shortString("state")
            case Tag.time: summary.time = try value.wallTime("time")
            default: return false
            }
            return true
        }
        summary.loop = try required(loop, "loop")
        summary.sequence = try required(sequence, "sequence")
        summary.state = State(rawValue: try required(state, "state"))
        self = summary
    }
}
