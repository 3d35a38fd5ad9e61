public import MobiusJournal
import MobiusWire

/// A made-up loop whose every record follows from its number, so that a process can write it, be killed, and another one
/// can tell what must be there.
///
/// Event `n` asks for `n % 3` effects and, as a report on the first effect of event `n - 5` where there is one, ends it.
/// Batches are told by their events: each carries the last number of its batch.
public enum History {
    /// Sequence 0.
    public static var start: JournalRecord {
        .event(EventRecord(loop: .main, sequence: 0, source: .start, event: nil, effects: [], ends: nil))
    }

    /// The next `count` events.
    public static func batch(after last: UInt64, count: UInt64) -> [JournalRecord] {
        (last + 1...last + count).map { .event(event($0, lastOfBatch: last + count)) }
    }

    /// The event `number` of a batch that ends with `lastOfBatch`.
    public static func event(_ number: UInt64, lastOfBatch: UInt64) -> EventRecord {
        let ended = endedEffect(by: number)
        let source: SourceKey =
            if let ended {
                .report(AttemptID(effect: ended, attempt: Attempt(epoch: 1, number: 1)), number: 1)
            } else {
                .outside("event \(number)")
            }
        // Of many sizes, so that rows cross the pages of a file at many places.
        let filler = String(repeating: ".", count: Int(number &* 2_654_435_761 % 700))
        let content = "\(number) \(lastOfBatch) \(filler)"
        return EventRecord(
            loop: .main, sequence: number, source: source,
            event: Payload(kind: PayloadKind(type: "Event"), bytes: Array(content.utf8)),
            effects: (0..<UInt32(number % 3)).map { effect(number, $0) }, ends: ended)
    }

    /// The last number of the batch that a record of this history came in; `nil` for any other record.
    public static func lastOfBatch(_ record: EventRecord) -> UInt64? {
        guard let bytes = record.event?.bytes else { return nil }
        let words = String(decoding: bytes, as: UTF8.self).split(separator: " ")
        guard words.count >= 2, let last = UInt64(words[1]) else { return nil }
        return record == event(record.sequence, lastOfBatch: last) ? last : nil
    }

    /// What has not ended after the event `last`.
    public static func pending(after last: UInt64) -> [PendingEffect] {
        let ended = Set((0...last).compactMap { endedEffect(by: $0) })
        return (0...last).flatMap { number in
            (0..<UInt32(number % 3)).compactMap { index in
                let id = EffectID(loop: .main, sequence: number, index: index)
                return ended.contains(id) ? nil : PendingEffect(id: id, effect: effect(number, index))
            }
        }
    }

    /// The snapshot after the event `last`.
    public static func snapshot(at last: UInt64) -> Snapshot {
        let model = Payload(kind: PayloadKind(type: "Model"), bytes: Array("model \(last)".utf8))
        return Snapshot(
            loop: .main, sequence: last, model: model, hash: FNV1a.hash(model.bytes), pending: pending(after: last))
    }

    private static func endedEffect(by number: UInt64) -> EffectID? {
        guard number > 5, (number - 5) % 3 > 0 else { return nil }
        return EffectID(loop: .main, sequence: number - 5, index: 0)
    }

    private static func effect(_ number: UInt64, _ index: UInt32) -> Payload {
        Payload(kind: PayloadKind(type: "Effect"), bytes: Array("effect \(number)/\(index)".utf8))
    }
}
