import MobiusJournal
import MobiusWire

// Small words for records, so that the checks read as dialogues.

let other = LoopID("another loop: zwölf Äpfel 🍏") ?? .main
let text = PayloadKind(type: "Text")
let binary = PayloadKind(type: "Bytes\u{0}with a zero", version: .max, contentType: "application/octet-stream")

func payload(_ words: String, _ kind: PayloadKind = text) -> Payload {
    Payload(kind: kind, bytes: Array(words.utf8))
}

func time(_ milliseconds: Int64) -> WallTime { WallTime(milliseconds: milliseconds) }

func effect(_ sequence: UInt64, _ index: UInt32 = 0, of loop: LoopID = .main) -> EffectID {
    EffectID(loop: loop, sequence: sequence, index: index)
}

func start(_ loop: LoopID = .main, effects: [Payload] = []) -> JournalRecord {
    .event(EventRecord(loop: loop, sequence: 0, source: .start, event: nil, effects: effects, ends: nil))
}

func outside(
    _ sequence: UInt64, _ key: String, effects: [Payload] = [], of loop: LoopID = .main
) -> JournalRecord {
    .event(
        EventRecord(
            loop: loop, sequence: sequence, source: .outside(key), event: payload("event \(sequence)"),
            effects: effects, ends: nil))
}

func report(
    _ sequence: UInt64, on effect: EffectID, number: UInt32 = 1, epoch: UInt64 = 1, attempt: UInt32 = 1,
    event: Payload = payload("report"), effects: [Payload] = [], final: Bool = true
) -> JournalRecord {
    let attempt = AttemptID(effect: effect, attempt: Attempt(epoch: epoch, number: attempt))
    return .event(
        EventRecord(
            loop: effect.loop, sequence: sequence, source: .report(attempt, number: number), event: event,
            effects: effects, ends: final ? effect : nil))
}

func failure(_ sequence: UInt64, of effect: EffectID, round: UInt32 = 0) -> JournalRecord {
    .event(
        EventRecord(
            loop: effect.loop, sequence: sequence, source: .failure(effect, round: round), event: payload("failed"),
            effects: [], ends: effect))
}

func fired(_ sequence: UInt64, _ effect: EffectID, due: Int64, ends: Bool = false) -> JournalRecord {
    .event(
        EventRecord(
            loop: effect.loop, sequence: sequence, source: .timer(effect, due: time(due)), event: payload("fired"),
            effects: [], ends: ends ? effect : nil, time: time(due &+ 3)))
}

func letter(
    _ id: EffectID, _ reason: String = "it broke", effect: Payload = payload("to do"), failures: UInt32 = 3,
    round: UInt32 = 0, at milliseconds: Int64 = 77
) -> DeadLetter {
    DeadLetter(id: id, effect: effect, reason: reason, failures: failures, round: round, time: time(milliseconds))
}

func snapshot(
    _ sequence: UInt64, model: Payload, pending: [PendingEffect] = [], of loop: LoopID = .main
) -> Snapshot {
    Snapshot(loop: loop, sequence: sequence, model: model, hash: FNV1a.hash(model.bytes), pending: pending)
}
