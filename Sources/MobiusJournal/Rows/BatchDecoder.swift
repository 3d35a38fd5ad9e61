package import MobiusWire

/// Reads what ``BatchEncoder`` wrote; any bytes are either decoded or rejected with ``JournalError`` code `damaged`.
package struct BatchDecoder {
    private let loop: LoopID
    private let kinds: NumberedKinds
    private let first: RecordPlace
    private var reader: JournalReader
    private var last: RecordPlace?
    private var time: Int64 = 0

    /// Starts with the first record of a batch; `content` must stay valid as long as the decoder is used.
    package init(_ content: UnsafeRawBufferPointer, from first: RecordPlace, loop: LoopID, kinds: NumberedKinds) {
        self.loop = loop
        self.kinds = kinds
        self.first = first
        reader = JournalReader(content)
    }

    /// Returns the next record; `nil` at the end.
    package mutating func next() throws(JournalError) -> (place: RecordPlace, record: JournalRecord)? {
        guard reader.remaining > 0 else { return nil }
        let head = try reader.uint8("record")
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
        let past = try reader.number("number")
        time = time &+ (Int64(bitPattern: past >> 1) ^ -Int64(bitPattern: past & 1))
        let (source, effect) = try readSource(sort, at: place)
        let event = try readPayload()
        var effects: [Payload] = []
        var dues: [TimerDue] = []
        // The count is not trusted: no memory is reserved for it, and a wrong one runs into the end of the bytes.
        let count = try reader.number("number")
        if count > 0 {
            for _ in 0..<count {
                guard let effect = try readPayload() else { throw Self.unreadable }
                effects.append(effect)
            }
            for _ in 0..<(try reader.number("number")) {
                dues.append(TimerDue(index: try reader.shortNumber("number"), due: try reader.time()))
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
        case .outside: return (.outside(try reader.countedText("text")), nil)
        case .report:
            let effect = try readEffect(askedBefore: place.sequence)
            let attempt = AttemptID(effect: effect, attempt: try reader.attempt())
            return (.report(attempt, number: try reader.shortNumber("number")), effect)
        case .failure:
            let effect = try readEffect(askedBefore: place.sequence)
            return (.failure(effect, round: try reader.shortNumber("number")), effect)
        case .timer:
            let effect = try readEffect(askedBefore: place.sequence)
            return (.timer(effect, due: try reader.time()), effect)
        case .loop:
            let (sequence, index) = (try reader.number("sequence"), try reader.shortNumber("number"))
            guard let sender = LoopID(try reader.countedText("text")) else { throw Self.unreadable }
            return (.loop(EffectID(loop: sender, sequence: sequence, index: index)), nil)
        case .answer:
            let effect = try readEffect(askedBefore: place.sequence)
            return (.answer(effect), effect)
        case .ended, .started, .retried, .deadLettered, .requeued, .dropped, .loopEnded, .remarked, .answered:
            throw Self.unreadable
        }
    }

    private mutating func readNote(_ sort: RecordSort, on effect: EffectID) throws(JournalError) -> EffectNote {
        switch sort {
        case .ended: return .ended
        case .dropped: return .dropped
        case .started: return .started(try reader.attempt())
        case .retried: return .retried(failures: try reader.shortNumber("number"))
        case .deadLettered:
            let reason = try reader.countedText("text")
            guard let payload = try readPayload() else { throw Self.unreadable }
            return .deadLettered(
                DeadLetter(
                    id: effect, effect: payload, reason: reason, failures: try reader.shortNumber("number"),
                    round: try reader.shortNumber("number"), time: try reader.time()))
        case .requeued:
            guard let payload = try readPayload() else { throw Self.unreadable }
            return .requeued(payload, round: try reader.shortNumber("number"), at: try reader.time())
        case .loopEnded:
            let flags = try reader.number("flags")
            guard flags <= 1 else { throw Self.unreadable }
            return .loopEnded(
                mayBeginAgain: flags == 1, outstanding: try reader.shortNumber("number"), at: try reader.time())
        case .remarked: return .remarked(try EffectRemark(from: &reader, of: loop))
        case .answered: return .answered(try readReply())
        case .start, .report, .failure, .outside, .timer, .loop, .answer: throw Self.unreadable
        }
    }

    private mutating func readReply() throws(JournalError) -> LoopReply {
        switch try reader.number("reply") {
        case 0: return LoopReply(nil)
        case 1:
            guard let payload = try readPayload() else { throw Self.unreadable }
            return LoopReply(.answer(payload))
        case 2: return LoopReply(.refusal(try reader.countedText("text")))
        default: throw Self.unreadable
        }
    }

    private mutating func readEffect(askedBefore sequence: UInt64) throws(JournalError) -> EffectID {
        let distance = try reader.number("number")
        guard distance <= sequence else { throw Self.unreadable }
        return EffectID(loop: loop, sequence: sequence - distance, index: try reader.shortNumber("number"))
    }

    private mutating func readPayload() throws(JournalError) -> Payload? {
        let number = try reader.number("number")
        guard number > 0 else { return nil }
        return Payload(kind: try kinds.kind(number), bytes: try reader.countedBytes("payload"))
    }

    private static var unreadable: JournalError { JournalError(.damaged, "A batch of records cannot be decoded.") }
}
