package import MobiusWire

/// Encodes the content of a batch: its records, one after the other.
///
/// Numbers are unsigned LEB128, and byte strings are preceded by their length. What follows from the record before is
/// left out or encoded as the difference:
///
///     record   = event | note
///     event    = source time cause payload effects      ; the sequence number is one more than the event before
///     source   = 1 byte: RecordSort, and 0x80 when the event ends its effect
///     time     = milliseconds since the event before in the batch, or since 1970, as zigzag
///     cause    = ""                                     ; of a start
///              | effect epoch attempt number            ; of a report
///              | effect round                           ; of a failure
///              | effect due                             ; of a timer
///              | key                                    ; from outside
///              | sequence index loop                    ; an effect of another loop, or of this one
///              | effect                                 ; the answer of the loop that it asked
///     effect   = how many events ago it was asked for, index
///     payload  = kind bytes | 0
///     effects  = count *payload [due-count *(index due)]    ; the latter where there are effects
///     note     = sort effect content                    ; belongs to the event before
///     content  = "" | epoch attempt | failures | reply | reason payload failures round time | payload round time
///              | flags outstanding time                 ; of a loop's end
///              | kind length remark                     ; for people, see EffectRemark
///     reply    = 0 | 1 payload | 2 text
// A class with memory of its own: an array checks at every number that it is uniquely referenced, which took most of a
// record's time.
package final class BatchEncoder {
    // Unchecked, like the time below: both change with every number, and no code outside is called meanwhile.
    @exclusivity(unchecked) private var writer = ByteWriter(capacity: 4096)
    @exclusivity(unchecked) private var time: Int64 = 0

    /// An encoder without content.
    package init() {}

    deinit {
        writer.deallocate()
    }

    /// The number of bytes written.
    package var count: Int { writer.length }

    /// The bytes written so far; valid until the next append.
    package var bytes: UnsafeRawBufferPointer { writer.bytes }

    /// Removes the content but keeps the memory.
    package func reset() {
        writer.reset()
        time = 0
    }

    /// Appends the record at `place`.
    package func append(
        _ record: JournalRecord, at place: RecordPlace, number: (PayloadKind) throws -> UInt64
    ) rethrows {
        switch record {
        case .event(let event): try append(event, number)
        case .note(let effect, let note): try append(note, on: effect, at: place, number)
        }
    }

    private func append(_ event: EventRecord, _ number: (PayloadKind) throws -> UInt64) rethrows {
        put(RecordSort(event.source).rawValue | (event.endsEffect ? RecordSort.ends : 0))
        let past = event.time.milliseconds &- time
        append(UInt64(bitPattern: past << 1 ^ past >> 63))
        time = event.time.milliseconds
        appendCause(of: event)
        if let event = event.event { try append(event, number) } else { append(0) }
        switch event.effectList {
        case .none:
            append(0)
            return
        case .one(let effect):
            append(1)
            try append(effect, number)
        case .many(let effects):
            append(UInt64(effects.count))
            for effect in effects { try append(effect, number) }
        }
        let dues = event.dues
        append(UInt64(dues.count))
        for due in dues {
            append(UInt64(due.index))
            append(due.due)
        }
    }

    private func appendCause(of event: EventRecord) {
        // The usual case, without a copy of the source, whose strings are reference-counted.
        if let report = event.reportNumbers {
            append(event.sequence - report.asked.sequence)
            append(UInt64(report.asked.index))
            append(report.attempt)
            append(UInt64(report.number))
            return
        }
        switch event.source {
        case .start, .report: break
        case .failure(let effect, let round):
            append(effect, askedBefore: event.sequence)
            append(UInt64(round))
        case .timer(let effect, let due):
            append(effect, askedBefore: event.sequence)
            append(due)
        case .outside(let key): append(key)
        case .loop(let effect):
            append(effect.sequence)
            append(UInt64(effect.index))
            append(effect.loop.name)
        case .answer(let effect): append(effect, askedBefore: event.sequence)
        }
    }

    private func append(
        _ note: EffectNote, on effect: EffectID, at place: RecordPlace, _ number: (PayloadKind) throws -> UInt64
    ) rethrows {
        put(RecordSort(note).rawValue)
        append(effect, askedBefore: place.sequence)
        switch note {
        case .ended, .dropped: break
        case .started(let attempt): append(attempt)
        case .retried(let failures): append(UInt64(failures))
        case .answered(let reply):
            switch reply.reply {
            case nil: append(0)
            case .answer(let payload):
                append(1)
                try append(payload, number)
            case .refusal(let reason):
                append(2)
                append(reason)
            }
        case .deadLettered(let letter):
            append(letter.reason)
            try append(letter.effect, number)
            append(UInt64(letter.failures))
            append(UInt64(letter.round))
            append(letter.time)
        case .requeued(let effect, let round, let time):
            try append(effect, number)
            append(UInt64(round))
            append(time)
        case .loopEnded(let mayBeginAgain, let outstanding, let time):
            append(mayBeginAgain ? 1 : 0)
            append(UInt64(outstanding))
            append(time)
        case .remarked(let remark): remark.write(to: &writer)
        }
    }

    private func append(_ effect: EffectID, askedBefore sequence: UInt64) {
        append(sequence - effect.sequence)
        append(UInt64(effect.index))
    }

    private func append(_ payload: Payload, _ number: (PayloadKind) throws -> UInt64) rethrows {
        append(try number(payload.kind))
        writer.counted(payload.bytes)
    }

    private func append(_ text: String) { writer.counted(text) }

    private func append(_ attempt: Attempt) { writer.attempt(attempt) }

    private func append(_ time: WallTime) { writer.time(time) }

    private func append(_ number: UInt64) { writer.number(number) }

    private func put(_ byte: UInt8) { writer.uint8(byte) }
}
