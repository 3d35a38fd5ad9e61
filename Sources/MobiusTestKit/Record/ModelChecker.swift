import MobiusCore
import MobiusJournal
import MobiusProgram
import MobiusWire

/// Computes the models of all loops from the events on disk alone, without snapshots and recovery, and compares them
/// with the models of coordinator processes.
final class ModelChecker<Program: LoopProgram> {
    let first: () -> First<Program.Model, Program.Effect>
    let violated: (Promise, String) -> Void
    /// The number of events on disk, of all loops.
    private(set) var count = 0
    private(set) var models: [LoopID: Program.Model] = [:]
    private var last: [LoopID: UInt64] = [:]
    /// The newest models of each loop, at most ``limit``, and the events after which they were made.
    private var past: [LoopID: [(sequence: UInt64, model: Program.Model)]] = [:]
    private let limit: Int
    private let events = ProgramCodecs<Program>().events
    private let effects = ProgramCodecs<Program>().effects
    private let coding = ProgramCodecs<Program>().models

    /// Makes a checker that remembers this many past models of each loop.
    init(
        _ first: @escaping () -> First<Program.Model, Program.Effect>, past limit: Int = 0,
        violated: @escaping (Promise, String) -> Void
    ) {
        self.first = first
        self.limit = limit
        self.violated = violated
    }

    func committed(_ records: [JournalRecord]) {
        for case .event(let record) in records {
            last[record.loop] = record.sequence
            count += 1
            defer { remember(record.loop, record.sequence) }
            guard let payload = record.event else {
                // An event that an operator dropped changes nothing.
                if record.source == .start { models[record.loop] = first().model }
                continue
            }
            // Removed from the dictionary, so that it is changed in place.
            guard var model = models.removeValue(forKey: record.loop), let event = try? events.decode(payload) else {
                violated(.appliedOnce, "event \(record.sequence) of loop \(record.loop) on disk cannot be decoded")
                continue
            }
            let change = Program.step(&model, event)
            models[record.loop] = model
            if change.effects.count != record.effects.count {
                violated(
                    .nothingLost,
                    "event \(record.sequence) requests \(change.effects.count) effects, but has \(record.effects.count)"
                )
            }
        }
    }

    /// The journal has nothing of the loop any more; its model is what it was last.
    func removed(_ loop: LoopID) { last[loop] = nil }

    private func remember(_ loop: LoopID, _ sequence: UInt64) {
        guard limit > 0, let model = models[loop] else { return }
        past[loop, default: []].append((sequence, model))
        if past[loop, default: []].count > limit { past[loop]?.removeFirst() }
    }

    /// Compares a model that a client got with the events on disk up to its event, unless that was long ago.
    func compare(past loop: LoopID, _ model: Payload, at sequence: UInt64) {
        guard let expected = past[loop]?.last(where: { $0.sequence == sequence })?.model else { return }
        if (try? coding.encode(expected))?.bytes != model.bytes, !isEqual(expected, model) {
            violated(
                .reading, "the model of loop \(loop) differs from the one that its events up to \(sequence) produce")
        }
    }

    /// Compares the model of a process with the events on disk.
    func compare(_ loop: LoopID, _ model: Payload, upTo sequence: UInt64?, in process: String) {
        guard sequence == last[loop] else {
            let (mine, theirs) = (last[loop].map(String.init) ?? "nothing", sequence.map(String.init) ?? "nothing")
            violated(.nothingLost, "\(process) has loop \(loop) up to event \(theirs), and on disk is event \(mine)")
            return
        }
        // Of a removed loop a process has the last model, and one that starts later has none but the first.
        var expected = [models[loop] ?? first().model]
        if last[loop] == nil { expected.append(first().model) }
        let isExpected = expected.contains { (try? coding.encode($0))?.bytes == model.bytes || isEqual($0, model) }
        if !isExpected {
            violated(
                .appliedOnce,
                """
                the model of loop \(loop) in \(process) differs from the one that its events produce; if no event was applied \
                twice or left out, then update is not pure, or the model changes when it is encoded and decoded
                """)
        }
    }

    /// Compares decoded models, because equal sets and dictionaries may be encoded in different orders.
    private func isEqual(_ expected: Program.Model, _ bytes: Payload) -> Bool {
        guard let expected = expected as? any Equatable, let other = try? coding.decode(bytes) else { return false }
        return expected.isEqual(to: other)
    }
}

extension Equatable {
    fileprivate func isEqual(to other: Any) -> Bool { (other as? Self) == self }
}
