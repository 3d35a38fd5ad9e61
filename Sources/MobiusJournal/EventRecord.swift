public import MobiusWire

/// One applied event, with the effects that `update` returned.
public struct EventRecord: Equatable, Sendable {
    // An event is passed on a dozen times: a class has one reference to count instead of one per part.
    @usableFromInline var words: EventWords

    /// Describes an applied event.
    public init(
        loop: LoopID, sequence: UInt64, source: SourceKey, event: Payload?, effects: [Payload], ends: EffectID?,
        time: WallTime = WallTime(milliseconds: 0), dues: [TimerDue] = []
    ) {
        words = EventWords(loop: loop, source: source, event: event, ends: ends)
        complete(sequence: sequence, effects: OneOrMany(effects), time: time, dues: dues)
    }

    /// Describes an event that is not applied yet: its place among the loop's, its time and its effects are still missing.
    package init(loop: LoopID, source: SourceKey, event: Payload?, ends: EffectID?) {
        words = EventWords(loop: loop, source: source, event: event, ends: ends)
    }

    /// Describes an event that a report brings and that is not applied yet.
    package init(report: UInt32, of attempt: consuming AttemptID, event: consuming Payload, isFinal: Bool) {
        words = EventWords(report: report, of: attempt, event: event, isFinal: isFinal)
    }

    /// Completes the record after the event was applied.
    package mutating func complete(
        sequence: UInt64, effects: consuming OneOrMany<Payload>, time: WallTime, dues: consuming [TimerDue] = []
    ) {
        own()
        words.sequence = sequence
        words.effects = effects
        words.time = time
        words.dues = dues
    }

    // The getters are inlined, because calls would return copies.

    /// The loop that applied it.
    public var loop: LoopID {
        @inlinable get { words.loop }
        set { words = EventWords(loop: newValue, source: source, event: event, ends: ends, and: words) }
    }

    /// Its place in the loop's order: 0 for the start, then without gaps, except for the gap after a restoration.
    public var sequence: UInt64 {
        get { words.sequence }
        set {
            own()
            words.sequence = newValue
        }
    }

    /// The key that makes it unique.
    public var source: SourceKey {
        @inlinable get { words.source }
        set { words = EventWords(loop: loop, source: newValue, event: event, ends: ends, and: words) }
    }

    /// A report's numbers without its loop and key, whose references would be counted.
    package struct ReportNumbers {
        /// The number of the event that asked for the effect, and which of that one's effects it is.
        package let asked: (sequence: UInt64, index: UInt32)
        package let attempt: Attempt
        package let number: UInt32
    }

    /// The numbers of the report that it is, if it is one.
    package var reportNumbers: ReportNumbers? {
        guard case .report(let attempt, let number) = words.source else { return nil }
        return ReportNumbers(
            asked: (attempt.effect.sequence, attempt.effect.index), attempt: attempt.attempt, number: number)
    }

    /// Whether it is its loop's start.
    package var isStart: Bool { if case .start = words.source { true } else { false } }

    /// The key under which it came from outside, if it did.
    package var outsideKey: String? {
        guard case .outside(let key) = words.source else { return nil }
        return key
    }

    /// The report that it is, of a worker's or a local handler.
    package var report: ReportID? {
        guard case .report(let attempt, let number) = words.source else { return nil }
        return ReportID(attempt: attempt, number: number)
    }

    /// The event; `nil` for ``SourceKey/start``, and for an event that an operator dropped because `update` fails on
    /// it: it counts as applied and has no effect.
    public var event: Payload? {
        @inlinable get { words.event }
        set { words = EventWords(loop: loop, source: source, event: newValue, ends: ends, and: words) }
    }

    /// The effects that `update` returned, in order, as bytes: recovery does not compute them again.
    public var effects: [Payload] {
        get { words.effects.all }
        set {
            own()
            words.effects = OneOrMany(newValue)
        }
    }

    /// The same, without an array for a single effect.
    package var effectList: OneOrMany<Payload> { words.effects }

    /// The size of the event in bytes.
    package var eventBytes: Int { words.event?.bytes.count ?? 0 }

    /// The total size of the event and its effects in bytes.
    package var payloadBytes: Int {
        let bytes = eventBytes
        return switch words.effects {
        case .none: bytes
        case .one(let effect): bytes + effect.bytes.count
        case .many(let effects): effects.reduce(bytes) { $0 + $1.bytes.count }
        }
    }

    /// The effect that this event ended, when it is a final report, a failure, an answer or a timer: always its source's effect.
    public var ends: EffectID? {
        get { words.ends }
        set { words = EventWords(loop: loop, source: source, event: event, ends: newValue, and: words) }
    }

    package var endsEffect: Bool { words.endsEffect }

    /// The time at which it was applied, by the coordinator's wall clock.
    public var time: WallTime {
        get { words.time }
        set {
            own()
            words.time = newValue
        }
    }

    /// The due times of those effects that are timers, in the order of the effects.
    public var dues: [TimerDue] {
        get { words.dues }
        set {
            own()
            words.dues = newValue
        }
    }

    /// The reply of `update` to the sender of an event from outside.
    ///
    /// A store keeps it beside the key (``JournalReading/confirmation(of:in:)``), as long as the key; a record that was
    /// read again may lack it.
    public var reply: SenderReply? {
        get { words.reply }
        set {
            own()
            words.reply = newValue
        }
    }

    /// The hashes of the sender and the content of an event from outside.
    ///
    /// A store keeps it beside the key (``JournalReading/mark(of:in:)``), as long as the key; it is not compared, and a record that
    /// was read again lacks it.
    package var mark: SenderMark? {
        get { words.mark }
        set {
            own()
            words.mark = newValue
        }
    }

    /// Makes the storage unique before a change.
    private mutating func own() {
        guard !isKnownUniquelyReferenced(&words) else { return }
        words = EventWords(loop: loop, source: source, event: event, ends: ends, and: words)
    }

    /// Whether all parts are equal.
    public static func == (one: EventRecord, other: EventRecord) -> Bool {
        one.words === other.words || one.words.says(the: other.words)
    }
}

/// The storage of an event record.
// Unchecked: only the single record that refers to it changes it.
@usableFromInline
final class EventWords: @unchecked Sendable {
    // Constants, because access to one part of a variable copies all of it.
    @usableFromInline let source: SourceKey
    @usableFromInline let event: Payload?
    // Parts that follow from the source are not stored, because each id counts references; a consistent record's source
    // determines all of them.
    /// The loop, unless the source names it.
    @usableFromInline let otherLoop: LoopID?
    /// The effect that it ended, if that is another than the source's.
    private let otherEnd: EffectID?
    /// Whether it ended the source's effect.
    private let endsCause: Bool
    @exclusivity(unchecked) fileprivate(set) var sequence: UInt64 = 0
    @exclusivity(unchecked) fileprivate(set) var effects = OneOrMany<Payload>.none
    @exclusivity(unchecked) fileprivate(set) var time = WallTime(milliseconds: 0)
    @exclusivity(unchecked) fileprivate(set) var dues: [TimerDue] = []
    @exclusivity(unchecked) fileprivate(set) var reply: SenderReply?
    @exclusivity(unchecked) fileprivate(set) var mark: SenderMark?

    init(loop: LoopID, source: SourceKey, event: Payload?, ends: EffectID?) {
        self.source = source
        self.event = event
        let cause = source.cause
        otherLoop = cause?.loop == loop ? nil : loop
        endsCause = ends != nil && ends == cause
        otherEnd = endsCause ? nil : ends
    }

    init(report: UInt32, of attempt: consuming AttemptID, event: consuming Payload, isFinal: Bool) {
        source = .report(attempt, number: report)
        self.event = event
        otherLoop = nil
        otherEnd = nil
        endsCause = isFinal
    }

    /// The same event with another description, and the results of `other`.
    convenience init(loop: LoopID, source: SourceKey, event: Payload?, ends: EffectID?, and other: EventWords) {
        self.init(loop: loop, source: source, event: event, ends: ends)
        sequence = other.sequence
        effects = other.effects
        time = other.time
        dues = other.dues
        reply = other.reply
        mark = other.mark
    }

    @inlinable var loop: LoopID {
        if let otherLoop { return otherLoop }
        switch source {
        case .report(let attempt, number: _): return attempt.effect.loop
        case .failure(let effect, round: _), .timer(let effect, due: _), .answer(let effect): return effect.loop
        case .start, .outside, .loop: preconditionFailure("A record names its loop where its source does not.")
        }
    }

    // Compared in place: returning an id counts references.
    func isOf(_ loop: LoopID) -> Bool {
        if let otherLoop { return otherLoop == loop }
        return switch source {
        case .report(let attempt, number: _): attempt.effect.loop == loop
        case .failure(let effect, round: _), .timer(let effect, due: _), .answer(let effect): effect.loop == loop
        case .start, .outside, .loop: false
        }
    }

    var ends: EffectID? { endsCause ? source.cause : otherEnd }

    var endsEffect: Bool { endsCause || otherEnd != nil }

    /// Whether it ended an effect that it does not report on.
    var endsAnother: Bool { otherEnd != nil }

    /// Whether its loop is that of the effect that it reports on.
    var isOfItsCause: Bool { otherLoop == nil }

    func says(the other: EventWords) -> Bool {
        loop == other.loop && sequence == other.sequence && source == other.source && event == other.event
            && effects == other.effects && ends == other.ends && time == other.time && dues == other.dues
            && reply == other.reply
    }
}

extension SourceKey {
    /// The loop that sent the event, if one did, of whichever shard.
    package var sender: LoopID? {
        switch self {
        case .loop(let effect): effect.loop
        case .outside(let key): EventKey.sender(of: key)
        case .start, .report, .failure, .timer, .answer: nil
        }
    }

    /// The effect of its own loop that it reports on, if any.
    var cause: EffectID? {
        switch self {
        case .start, .outside, .loop: nil
        case .report(let attempt, number: _): attempt.effect
        case .failure(let effect, round: _), .timer(let effect, due: _), .answer(let effect): effect
        }
    }

    /// The number of the event that asked for that.
    var asked: UInt64? {
        switch self {
        case .start, .outside, .loop: nil
        case .report(let attempt, number: _): attempt.effect.sequence
        case .failure(let effect, round: _), .timer(let effect, due: _), .answer(let effect): effect.sequence
        }
    }
}
