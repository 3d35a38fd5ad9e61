package import MobiusCodec

/// The place of an entry in a loop's history: an event is part 0 of its own number, and the notes after it are the
/// further parts.
public struct HistoryPlace: Hashable, Comparable, Sendable {
    /// The number of the event, or of the one before a note.
    public var sequence: UInt64
    /// 0 for the event; the notes after it count from 1.
    public var part: UInt32

    /// Names a place.
    public init(sequence: UInt64, part: UInt32 = 0) {
        self.sequence = sequence
        self.part = part
    }

    /// Orders by number, then by part.
    public static func < (one: Self, other: Self) -> Bool { (one.sequence, one.part) < (other.sequence, other.part) }
}

/// The selection of a READ-HISTORY.
public struct HistoryRequest: Hashable, Sendable {
    /// The loop.
    public var loop: LoopID
    /// The first event; `nil` for the first that is kept.
    public var first: UInt64?
    /// The last event; `nil` for the last one.
    public var last: UInt64?
    /// Only entries behind this place.
    public var after: HistoryPlace?
    /// At most so many entries, 0 for a full page.
    public var limit: UInt32
    /// Whether each event comes with the model after it.
    public var models: Bool

    /// Describes a request.
    public init(
        _ loop: LoopID, first: UInt64? = nil, last: UInt64? = nil, after: HistoryPlace? = nil, limit: UInt32 = 0,
        models: Bool = false
    ) {
        self.loop = loop
        self.first = first
        self.last = last
        self.after = after
        self.limit = limit
        self.models = models
    }
}

/// A page of a loop's history.
public struct HistoryPage: Hashable, Sendable, Codable {
    /// The entries, in journal order.
    public var entries: [HistoryEntry]
    /// The first event that is kept: nothing is known of earlier ones; `nil` when none is kept.
    public var first: UInt64?
    /// Whether more entries follow behind the last.
    public var more: Bool

    /// Makes a page.
    public init(_ entries: [HistoryEntry], first: UInt64?, more: Bool) {
        self.entries = entries
        self.first = first
        self.more = more
    }
}

/// One entry of a loop's history: an event that was applied, or a note on an effect.
public struct HistoryEntry: Hashable, Sendable, Codable {
    /// The kind of an entry; more may be added, so match with a default.
    public struct What: RawRepresentable, Hashable, Sendable, Codable {
        /// The name on the wire and on screens, up to 255 bytes.
        public let rawValue: String

        /// Names it.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// Event: the loop began.
        public static let start = What(rawValue: "start")
        /// Event: from outside, under ``HistoryEntry/key``.
        public static let outside = What(rawValue: "outside")
        /// Event: reported by ``HistoryEntry/attempt`` of ``HistoryEntry/effect``.
        public static let report = What(rawValue: "report")
        /// Event: ``HistoryEntry/effect`` failed for good.
        public static let failure = What(rawValue: "failure")
        /// Event: the timer ``HistoryEntry/effect``, due at ``HistoryEntry/due``.
        public static let timer = What(rawValue: "timer")
        /// Event: ``HistoryEntry/effect``, which another loop or the same one asked for, is this event.
        public static let loop = What(rawValue: "loop")
        /// Event: the answer of the loop that ``HistoryEntry/effect`` asked.
        public static let answer = What(rawValue: "answer")
        /// Note: ``HistoryEntry/effect`` ended without an event.
        public static let ended = What(rawValue: "ended")
        /// Note: ``HistoryEntry/attempt`` of an effect that runs at most once was given to a worker.
        public static let started = What(rawValue: "started")
        /// Note: the loop that ``HistoryEntry/effect`` asked took its event, or refused it for ``HistoryEntry/reason``.
        public static let answered = What(rawValue: "answered")
        /// Note: an attempt failed; ``HistoryEntry/failures`` counts all of them.
        public static let retried = What(rawValue: "retried")
        /// Note: ``HistoryEntry/effect`` failed for good and is a dead letter.
        public static let deadLettered = What(rawValue: "dead-lettered")
        /// Note: an operator retried the dead letter.
        public static let requeued = What(rawValue: "requeued")
        /// Note: ``HistoryEntry/effect`` ended the loop; or, without one, what operators asked for by the note before.
        public static let loopEnded = What(rawValue: "loop-ended")
        /// Note: an operator dropped the dead letter.
        public static let dropped = What(rawValue: "dropped")
        /// Note: ``HistoryEntry/attempt`` failed on ``HistoryEntry/worker``, for ``HistoryEntry/reason``.
        public static let attemptFailed = What(rawValue: "attempt-failed")
        /// Note: ``HistoryEntry/effect`` was cancelled ``HistoryEntry/by`` another one; its end follows.
        public static let cancelled = What(rawValue: "cancelled")
        /// Note: the holder of the key or token ``HistoryEntry/askedBy`` asked for what the note before says.
        public static let asked = What(rawValue: "asked")
        /// Note: ``HistoryEntry/askedBy``, or somebody where no keys are, asked to ``HistoryEntry/act`` ``HistoryEntry/effect``, or the
        /// loop, for ``HistoryEntry/reason``; what came of it follows.
        public static let acted = What(rawValue: "acted")
    }

    /// `event` or `note`.
    private var kind: String
    /// The loop whose history it is in.
    public private(set) var loop: LoopID
    private var sequence: UInt64
    private var part: UInt32?
    private var source: What?
    private var note: What?
    /// When; `nil` for notes without a time.
    public var time: WallTime?
    /// The coordinator's run that recorded it.
    public var epoch: UInt64
    /// The program's build in that run, up to 255 bytes.
    public var build: String
    /// The key of an event from outside.
    public var key: String?
    /// The effect that caused the event, or that the note is about; `nil` for a note about the loop itself.
    public var effect: EffectID?
    /// The attempt of that effect.
    public var attempt: Attempt?
    /// The number of the report in its attempt, from 1.
    public var report: UInt32?
    /// The number of times that operators had retried the effect.
    @Sparse public var round: UInt32
    /// The time of a timer.
    public var due: WallTime?
    /// The effect that ended with the event.
    public var ends: EffectID?
    /// The number of attempts that had failed.
    @Sparse public var failures: UInt32
    /// The reason why the effect or its attempt failed, up to ``ClientAnswer/maximumReason`` bytes.
    @Sparse public var reason: String
    /// The name of the worker on which an attempt failed, or the beginning of its incarnation; empty for the coordinator.
    @Sparse public var worker: String
    /// The effect that cancelled the one of the note.
    public var by: EffectID?
    /// The name of the key or token with which an operator asked.
    @Sparse public var askedBy: String
    /// What an operator asked for: `cancel`, `fail`, `complete` or `fire`; `end` of the loop.
    @Sparse public var act: String
    /// Whether the loop that ended may begin again.
    @Sparse public var mayBeginAgain: Bool
    private var type: String?
    private var typeVersion: UInt16?
    private var contentType: String?
    private var size: UInt32?
    private var content: JSONFragment?
    private var contentBase64: Base64Bytes?
    /// The number of effects that the event asked for.
    public var effectCount: UInt32
    /// The effects that the event asked for, by index; at most ``maximumEffects``.
    public var effects: [HistoryEffect]
    /// The model after the event, where it was asked for; `nil` for notes.
    public var after: HistoryModel?

    /// The most effects of one entry.
    public static let maximumEffects = 100

    /// Describes an entry.
    public init(
        _ place: HistoryPlace, of loop: LoopID, _ what: What, time: WallTime? = nil, epoch: UInt64, build: String,
        key: String? = nil, effect: EffectID? = nil, attempt: Attempt? = nil, report: UInt32? = nil, round: UInt32 = 0,
        due: WallTime? = nil, ends: EffectID? = nil, failures: UInt32 = 0, reason: String = "",
        event: HistoryPayload? = nil, effects: [HistoryEffect] = [], effectCount: UInt32 = 0, worker: String = "",
        by: EffectID? = nil, askedBy: String = "", act: String = "", mayBeginAgain: Bool = false
    ) {
        let isEvent = place.part == 0
        kind = isEvent ? "event" : "note"
        self.loop = loop
        (sequence, part) = (place.sequence, isEvent ? nil : place.part)
        (source, note) = isEvent ? (what, nil) : (nil, what)
        self.time = time
        self.epoch = epoch
        self.build = build
        self.key = key
        self.effect = effect
        self.attempt = attempt
        self.report = report
        self.round = round
        self.due = due
        self.ends = ends
        self.failures = failures
        self.reason = reason.cut(toBytes: ClientAnswer.maximumReason)
        self.effectCount = effectCount
        self.effects = effects
        self.worker = worker
        self.by = by
        self.askedBy = askedBy
        self.act = act
        self.mayBeginAgain = mayBeginAgain
        self.event = event
    }

    /// Its place in the history.
    public var place: HistoryPlace { HistoryPlace(sequence: sequence, part: part ?? 0) }

    /// The kind of the entry.
    public var what: What {
        get { source ?? note ?? What(rawValue: "") }
        set { (source, note) = part == nil ? (newValue, nil) : (nil, newValue) }
    }

    /// The event; `nil` for notes, for a loop's start and for dropped events.
    public var event: HistoryPayload? {
        get {
            guard let type, let typeVersion, let contentType, let size else { return nil }
            return HistoryPayload(
                kind: PayloadKind(type: type, version: typeVersion, contentType: contentType), size: size,
                bytes: content?.bytes ?? contentBase64?.bytes)
        }
        set {
            (type, typeVersion, contentType) = (newValue?.kind.type, newValue?.kind.version, newValue?.kind.contentType)
            size = newValue?.size
            (content, contentBase64) = newValue?.content ?? (nil, nil)
        }
    }

    /// The entry with its payloads as people see them.
    ///
    /// - Parameter text: A payload as JSON; `nil` where it has no such form.
    package func shown(as text: (Payload) -> JSONFragment?) -> HistoryEntry {
        var entry = self
        if let payload = event?.payload, let text = text(payload) { (entry.content, entry.contentBase64) = (text, nil) }
        entry.effects = effects.map { $0.shown(as: text) }
        entry.after = after?.shown(as: text)
        return entry
    }

    private enum CodingKeys: String, CodingKey {
        case kind, loop, sequence, part, source, note, time, key, effect, attempt, report, round, due, ends, failures
        case reason, worker, by, askedBy, act, mayBeginAgain, type, typeVersion, contentType, size
        case content = "event"
        case contentBase64 = "eventBase64"
        case effectCount, effects, after, epoch, build
    }
}

/// The model after an event of a history, computed by the coordinator's build.
public struct HistoryModel: Hashable, Sendable, Codable {
    private var type: String?
    private var typeVersion: UInt16?
    private var contentType: String?
    private var content: JSONFragment?
    private var contentBase64: Base64Bytes?
    /// The reason why it could not be computed, up to ``ClientAnswer/maximumReason`` bytes; empty for a model.
    @Sparse public var reason: String

    /// Describes a model, in the coding of its program.
    public init(_ model: Payload) {
        (type, typeVersion, contentType) = (model.kind.type, model.kind.version, model.kind.contentType)
        (content, contentBase64) = model.content
        reason = ""
    }

    /// Says why there is none.
    public init(reason: String) {
        self.reason = reason.cut(toBytes: ClientAnswer.maximumReason)
    }

    /// The model; `nil` when it could not be computed.
    public var model: Payload? {
        guard let type, let typeVersion, let contentType, let bytes = content?.bytes ?? contentBase64?.bytes else {
            return nil
        }
        return Payload(kind: PayloadKind(type: type, version: typeVersion, contentType: contentType), bytes: bytes)
    }

    fileprivate func shown(as text: (Payload) -> JSONFragment?) -> HistoryModel {
        var shown = self
        if let model, let text = text(model) { (shown.content, shown.contentBase64) = (text, nil) }
        return shown
    }

    private enum CodingKeys: String, CodingKey {
        case type, typeVersion, contentType, reason
        case content = "model"
        case contentBase64 = "modelBase64"
    }
}

/// A payload in a history, without its bytes when these are many.
public struct HistoryPayload: Hashable, Sendable {
    /// The kind of the payload.
    public var kind: PayloadKind
    /// Its number of bytes.
    public var size: UInt32
    /// Its bytes; `nil` when they were left out.
    public var bytes: [UInt8]?

    /// Describes a payload.
    public init(kind: PayloadKind, size: UInt32, bytes: [UInt8]?) {
        self.kind = kind
        self.size = size
        self.bytes = bytes
    }

    /// The whole payload; `nil` when its bytes were left out.
    public var payload: Payload? { bytes.map { Payload(kind: kind, bytes: $0) } }

    fileprivate var content: (JSONFragment?, Base64Bytes?) { payload?.content ?? (nil, nil) }
}

/// An effect that an event asked for.
public struct HistoryEffect: Hashable, Sendable, Codable {
    /// The id of the effect.
    public var id: EffectID
    /// The time at which it is due, if it is a timer.
    public var due: WallTime?
    private var type: String
    private var typeVersion: UInt16
    private var contentType: String
    private var size: UInt32
    private var content: JSONFragment?
    private var contentBase64: Base64Bytes?

    /// Describes an effect.
    public init(_ id: EffectID, effect: HistoryPayload, due: WallTime? = nil) {
        self.id = id
        self.due = due
        (type, typeVersion, contentType) = (effect.kind.type, effect.kind.version, effect.kind.contentType)
        size = effect.size
        (content, contentBase64) = effect.content
    }

    /// The effect's payload.
    public var effect: HistoryPayload {
        get {
            HistoryPayload(
                kind: PayloadKind(type: type, version: typeVersion, contentType: contentType), size: size,
                bytes: content?.bytes ?? contentBase64?.bytes)
        }
        set { self = HistoryEffect(id, effect: newValue, due: due) }
    }

    fileprivate func shown(as text: (Payload) -> JSONFragment?) -> HistoryEffect {
        var effect = self
        if let payload = effect.effect.payload, let text = text(payload) {
            (effect.content, effect.contentBase64) = (text, nil)
        }
        return effect
    }

    private enum CodingKeys: String, CodingKey {
        case id, due, type, typeVersion, contentType, size
        case content = "effect"
        case contentBase64 = "effectBase64"
    }
}
