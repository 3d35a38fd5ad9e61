/// A loop, as LIST-LOOPS shows it.
public struct LoopSummary: Hashable, Sendable, Codable {
    /// The state of a loop; states may be added, so match with a default.
    public struct State: RawRepresentable, Hashable, Sendable, Codable {
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

        /// Those that this build knows.
        package static let known: [State] = [.running, .idle, .held, .ended]
    }

    /// Its name.
    public var loop: LoopID
    /// The number of its last event, for a held loop of the last one before the event that holds it; the loop's start is 0.
    public var sequence: UInt64
    /// The number of its pending effects.
    public var pending: UInt64
    /// Its state now.
    public var state: State
    /// The time at which its last event was applied, or it ended.
    ///
    /// It is `nil` when the coordinator was started since and did not need that event again.
    public var time: WallTime?
    /// Its facts, if it was found by them (``ClientRequest/find(_:)``).
    public var facts: [String: FactValue]?

    /// Describes a loop.
    public init(
        loop: LoopID, sequence: UInt64, pending: UInt64, state: State, time: WallTime? = nil,
        facts: [String: FactValue]? = nil
    ) {
        self.loop = loop
        self.sequence = sequence
        self.pending = pending
        self.state = state
        self.time = time
        self.facts = facts
    }

    private enum CodingKeys: String, CodingKey {
        case loop
        case sequence = "lastSequence"
        case pending = "pendingEffects"
        case state
        case time = "lastEvent"
        case facts
    }

    private struct FactKey: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    /// Writes the fields; facts by name, so that the same summary is the same bytes.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(loop, forKey: .loop)
        try container.encode(sequence, forKey: .sequence)
        try container.encode(pending, forKey: .pending)
        try container.encode(state, forKey: .state)
        try container.encodeIfPresent(time, forKey: .time)
        guard let facts else { return }
        var values = container.nestedContainer(keyedBy: FactKey.self, forKey: .facts)
        for (name, value) in facts.sorted(by: { $0.key < $1.key }) {
            try values.encode(value, forKey: FactKey(stringValue: name))
        }
    }
}
