public import MobiusWire

/// One event as it was applied, with the effects that `update` answered.
public struct EventRecord: Equatable, Sendable {
    // An event is handed on a dozen times: one reference to count, where its parts would be as many.
    private var words: Words

    /// Describes an applied event.
    public init(
        loop: LoopID, sequence: UInt64, source: SourceKey, event: Payload?, effects: [Payload], ends: EffectID?,
        time: WallTime = WallTime(milliseconds: 0), dues: [TimerDue] = []
    ) {
        words = Words(loop: loop, source: source, event: event, ends: ends)
        complete(sequence: sequence, effects: Few(effects), time: time, dues: dues)
    }

    /// Describes an event that is not applied yet: its place among the loop's, its time and its effects are still missing.
    package init(loop: LoopID, source: SourceKey, event: Payload?, ends: EffectID?) {
        words = Words(loop: loop, source: source, event: event, ends: ends)
    }

    /// Fills in what is known once the event was applied.
    package mutating func complete(
        sequence: UInt64, effects: consuming Few<Payload>, time: WallTime, dues: consuming [TimerDue] = []
    ) {
        own()
        words.sequence = sequence
        words.effects = effects
        words.time = time
        words.dues = dues
    }

    /// The loop that applied it.
    public var loop: LoopID {
        get { words.loop }
        set {
            own()
            words.loop = newValue
        }
    }

    /// Its place in the loop's order: 0 for the start, then without gaps but for the one that a restoration leaves.
    public var sequence: UInt64 {
        get { words.sequence }
        set {
            own()
            words.sequence = newValue
        }
    }

    /// What makes it unique.
    public var source: SourceKey {
        get { words.source }
        set {
            own()
            words.source = newValue
        }
    }

    /// The event; `nil` for ``SourceKey/start``, and for an event that an operator dropped because `update` fails on it: it
    /// counts as applied and changes nothing.
    public var event: Payload? {
        get { words.event }
        set {
            own()
            words.event = newValue
        }
    }

    /// The effects `update` asked for, in order, as bytes: recovery does not compute them again.
    public var effects: [Payload] {
        get { words.effects.all }
        set {
            own()
            words.effects = Few(newValue)
        }
    }

    /// How many bytes the event and its effects have.
    package var payloadBytes: Int {
        let bytes = words.event?.bytes.count ?? 0
        return switch words.effects {
        case .none: bytes
        case .one(let effect): bytes + effect.bytes.count
        case .many(let effects): effects.reduce(bytes) { $0 + $1.bytes.count }
        }
    }

    /// The effect that this event ended, when it is a final report, a failure or a timer: always its source's effect.
    public var ends: EffectID? {
        get { words.ends }
        set {
            own()
            words.ends = newValue
        }
    }

    /// Whether it ended an effect.
    package var endsEffect: Bool { words.ends != nil }

    /// When it was applied, by the coordinator's calendar.
    public var time: WallTime {
        get { words.time }
        set {
            own()
            words.time = newValue
        }
    }

    /// When those of the effects fall due that are timers, in the order of the effects.
    public var dues: [TimerDue] {
        get { words.dues }
        set {
            own()
            words.dues = newValue
        }
    }

    /// Makes sure that nobody else sees what is changed.
    private mutating func own() {
        if !isKnownUniquelyReferenced(&words) { words = Words(words) }
    }

    /// Whether all parts are equal.
    public static func == (one: EventRecord, other: EventRecord) -> Bool {
        one.words === other.words || one.words.says(the: other.words)
    }
}

/// What an event record says.
// Unchecked: it is changed only by the one record that refers to it; and so nobody is in the middle of anything there.
private final class Words: @unchecked Sendable {
    @exclusivity(unchecked) var loop: LoopID
    @exclusivity(unchecked) var source: SourceKey
    @exclusivity(unchecked) var event: Payload?
    @exclusivity(unchecked) var ends: EffectID?
    @exclusivity(unchecked) var sequence: UInt64 = 0
    @exclusivity(unchecked) var effects = Few<Payload>.none
    @exclusivity(unchecked) var time = WallTime(milliseconds: 0)
    @exclusivity(unchecked) var dues: [TimerDue] = []

    init(loop: LoopID, source: SourceKey, event: Payload?, ends: EffectID?) {
        self.loop = loop
        self.source = source
        self.event = event
        self.ends = ends
    }

    init(_ other: Words) {
        loop = other.loop
        source = other.source
        event = other.event
        ends = other.ends
        sequence = other.sequence
        effects = other.effects
        time = other.time
        dues = other.dues
    }

    func says(the other: Words) -> Bool {
        loop == other.loop && sequence == other.sequence && source == other.source && event == other.event
            && effects == other.effects && ends == other.ends && time == other.time && dues == other.dues
    }
}
