import MobiusCore
import MobiusJournal
import MobiusProgram
import MobiusWire

/// What the program's loops must look like, from the events on disk alone: a second reading of the journal, event by
/// event, that knows nothing of snapshots and recovery.
final class Oracle<Program: LoopProgram> {
    let complain: (Promise, String) -> Void
    private(set) var models: [LoopID: Program.Model] = [:]
    private var last: [LoopID: UInt64] = [:]
    private let events = TypedCoding<Program.Event>.json()
    private let effects = TypedCoding<Program.Effect>.json()
    private let coding = TypedCoding<Program.Model>.json(sortedKeys: true)

    init(complain: @escaping (Promise, String) -> Void) {
        self.complain = complain
    }

    func committed(_ records: [JournalRecord]) {
        for case .event(let record) in records {
            last[record.loop] = record.sequence
            guard let payload = record.event else {
                models[record.loop] = Program.initiate().model
                continue
            }
            guard var model = models[record.loop], let event = try? events.decode(payload) else {
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
        let expected = try? coding.encode(models[loop] ?? Program.initiate().model)
        if expected?.bytes != model.bytes {
            complain(.appliedOnce, "in \(process) the model of loop \(loop) is not what its events make of it")
        }
    }
}
