import MobiusCore
import MobiusJournal
import MobiusProgram
import MobiusWire

/// What the program's loops must look like, from the events on disk alone: a second reading of the journal, event by
/// event, that knows nothing of snapshots and recovery.
final class Oracle<Program: LoopProgram> {
    let first: () -> First<Program.Model, Program.Effect>
    let complain: (Promise, String) -> Void
    /// How many events are on disk, of all loops.
    private(set) var count = 0
    private(set) var models: [LoopID: Program.Model] = [:]
    private var last: [LoopID: UInt64] = [:]
    private let events = ProgramCodings<Program>().events
    private let effects = ProgramCodings<Program>().effects
    private let coding = ProgramCodings<Program>().models

    init(_ first: @escaping () -> First<Program.Model, Program.Effect>, complain: @escaping (Promise, String) -> Void) {
        self.first = first
        self.complain = complain
    }

    func committed(_ records: [JournalRecord]) {
        for case .event(let record) in records {
            last[record.loop] = record.sequence
            count += 1
            guard let payload = record.event else {
                models[record.loop] = first().model
                continue
            }
            // Taken out, so that it is changed where it is.
            guard var model = models.removeValue(forKey: record.loop), let event = try? events.decode(payload) else {
                complain(.appliedOnce, "event \(record.sequence) of loop \(record.loop) is on disk and cannot be read")
                continue
            }
            let change = Program.step(&model, event)
            models[record.loop] = model
            if change.effects.count != record.effects.count {
                complain(
                    .nothingLost,
                    "event \(record.sequence) asked for \(change.effects.count) effects, and has \(record.effects.count)"
                )
            }
        }
    }

    /// A process begins with this model, or ends with it.
    func compare(_ loop: LoopID, _ model: Payload, upTo sequence: UInt64?, in process: String) {
        guard sequence == last[loop] else {
            let (mine, theirs) = (last[loop].map(String.init) ?? "nothing", sequence.map(String.init) ?? "nothing")
            complain(.nothingLost, "\(process) has loop \(loop) up to \(theirs), and on disk it is \(mine)")
            return
        }
        let expected = models[loop] ?? first().model
        if (try? coding.encode(expected))?.bytes != model.bytes, !isEqual(expected, model) {
            complain(
                .appliedOnce,
                """
                in \(process) the model of loop \(loop) is not what its events make of it; if no event was applied twice or \
                left out, then update is not pure, or the model does not come back from its coding as it was
                """)
        }
    }

    /// Some models are not written in the same order each time: sets and dictionaries.
    private func isEqual(_ expected: Program.Model, _ bytes: Payload) -> Bool {
        guard let expected = expected as? any Equatable, let other = try? coding.decode(bytes) else { return false }
        return expected.isEqual(to: other)
    }
}

extension Equatable {
    fileprivate func isEqual(to other: Any) -> Bool { (other as? Self) == self }
}
