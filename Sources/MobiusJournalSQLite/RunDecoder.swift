import MobiusJournal
import MobiusWire

/// Reads what ``RunEncoder`` wrote; total, so any bytes are records or ``JournalError`` with code `damaged`.
struct RunDecoder {
    private let loop: LoopID
    private let kinds: NumberedKinds
    private let first: RecordPlace
    private var reader: ByteReader
    private var last: RecordPlace?
    private var time: Int64 = 0

    /// Starts with the first record of a run.
    init(_ content: UnsafeRawBufferPointer, from first: RecordPlace, loop: LoopID, kinds: NumberedKinds) {
        self.loop = loop
        self.kinds = kinds
        self.first = first
        reader = ByteReader(Array(content))
    }

    /// The next record; `nil` at the end.
    mutating func next() throws(JournalError) -> (place: RecordPlace, record: JournalRecord)? {
        guard !reader.isAtEnd else { return nil }
        let head = try reader.readByte()
        guard let sort = RecordSort(rawValue: head & ~RecordSort.ends) else { throw Self.unreadable }
        let place = try self.place(of: sort)
        last = place
        if sort.isNote {
            guard head & RecordSort.ends == 0 else { throw Self.unreadable }
            let effect = try readEffect(askedBefore: place.sequence)
            return (place, .note(effect, try readNote(sort, on: effect)))
        }
        return (place, .event(try readEvent(sort, ends: head & RecordSort.ends != 0, at: place)))
    }

    private func place(of sort: RecordSort) throws(JournalError) -> RecordPlace {
        guard var place = last else {
            guard sort.isNote == (first.part > 0) else { throw Self.unreadable }
            return first
        }
        guard place.sequence < .max, place.part < .max else { throw Self.unreadable }
        if sort.isNote {
            place.part += 1
        } else {
            place = RecordPlace(sequence: place.sequence + 1, part: 0)
        }
        return place
    }

    private mutating func readEvent(
        _ sort: RecordSort, ends: Bool, at place: RecordPlace
    ) throws(JournalError) -> EventRecord {
        let past = try reader.readNumber()
        time = time &+ (Int64(bitPattern: past >> 1) ^ -Int64(bitPattern: past & 1))
        let (source, effect) = try readSource(sort, at: place)
        let event = try readPayload()
        var effects: [Payload] = []
        var dues: [TimerDue] = []
        // A wrong count runs into the end of the bytes: nothing is reserved on its word.
        let count = try reader.readNumber()
        if count > 0 {
            for _ in 0..<count {
                guard let effect = try readPayload() else { throw Self.unreadable }
                effects.append(effect)
            }
            for _ in 0..<(try reader.readNumber()) {
                dues.append(TimerDue(index: try reader.readShortNumber(), due: try reader.readTime()))
            }
        }
        guard !ends || effect != nil else { throw Self.unreadable }
        return EventRecord(
            loop: loop, sequence: place.sequence, source: source, event: event, effects: effects,
            ends: ends ? effect : nil, time: WallTime(milliseconds: time), dues: dues)
    }

    private mutating func readSource(
        _ sort: RecordSort, at place: RecordPlace
    ) throws(JournalError) -> (SourceKey, EffectID?) {
        switch sort {
        case .start: return (.start, nil)
        case .outside: return (.outside(try reader.readText()), nil)
        case .report:
            let effect = try readEffect(askedBefore: place.sequence)
            let attempt = AttemptID(effect: effect, attempt: try reader.readAttempt())
            return (.report(attempt, number: try reader.readShortNumber()), effect)
        case .failure:
            let effect = try readEffect(askedBefore: place.sequence)
            return (.failure(effect, round: try reader.readShortNumber()), effect)
        case .timer:
            let effect = try readEffect(askedBefore: place.sequence)
            return (.timer(effect, due: try reader.readTime()), effect)
        case .ended, .started, .setback, .died, .revived, .dropped: throw Self.unreadable
        }
    }

    private mutating func readNote(_ sort: RecordSort, on effect: EffectID) throws(JournalError) -> EffectNote {
        switch sort {
        case .ended: return .ended
        case .dropped: return .dropped
        case .started: return .started(try reader.readAttempt())
        case .setback: return .setback(failures: try reader.readShortNumber())
        case .died:
            let reason = try reader.readText()
            guard let payload = try readPayload() else { throw Self.unreadable }
            return .died(
                DeadLetter(
                    id: effect, effect: payload, reason: reason, failures: try reader.readShortNumber(),
                    round: try reader.readShortNumber(), time: try reader.readTime()))
        case .revived:
            guard let payload = try readPayload() else { throw Self.unreadable }
            return .revived(payload, round: try reader.readShortNumber(), at: try reader.readTime())
        case .start, .report, .failure, .outside, .timer: throw Self.unreadable
        }
    }

    private mutating func readEffect(askedBefore sequence: UInt64) throws(JournalError) -> EffectID {
        let distance = try reader.readNumber()
        guard distance <= sequence else { throw Self.unreadable }
        return EffectID(loop: loop, sequence: sequence - distance, index: try reader.readShortNumber())
    }

    private mutating func readPayload() throws(JournalError) -> Payload? {
        let number = try reader.readNumber()
        guard number > 0 else { return nil }
        return Payload(kind: try kinds.kind(number), bytes: try reader.readBytes())
    }

    private static var unreadable: JournalError { JournalError(.damaged, "A run of records cannot be read.") }
}
