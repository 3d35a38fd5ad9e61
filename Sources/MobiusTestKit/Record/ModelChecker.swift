package import MobiusCore
import MobiusDriver
import MobiusJournal
import MobiusProgram
import MobiusWire

/// Computes the models of all loops from the events on disk alone, without snapshots and recovery, and compares them
/// with the models of coordinator processes.
package final class ModelChecker<Program: LoopProgram> {
    private let functions: any ProgramFunctions<Program>
    let violated: (Promise, String) -> Void
    /// The number of events on disk, of all loops.
    private(set) var count = 0
    private var loops: [LoopID: any ProgramLoop<Program>] = [:]
    private var last: [LoopID: UInt64] = [:]
    /// Called with each new model of a loop, and the number of the event that made it.
    package var onModel: ((LoopID, UInt64, Program.Model) -> Void)?

    init(_ functions: any ProgramFunctions<Program>, violated: @escaping (Promise, String) -> Void) {
        self.functions = functions
        self.violated = violated
    }

    /// The model of a loop as its events on disk make it; `nil` for one that has never begun.
    func model(of loop: LoopID) -> Program.Model? { loops[loop]?.model }

    /// The models of all loops that have begun.
    package var models: [LoopID: Program.Model] { loops.mapValues { $0.model } }

    func committed(_ records: [JournalRecord]) {
        for case .event(let record) in records {
            last[record.loop] = record.sequence
            count += 1
            defer {
                if let onModel, let model = model(of: record.loop) { onModel(record.loop, record.sequence, model) }
            }
            guard let payload = record.event else {
                // An event that an operator dropped changes nothing.
                if record.source == .start {
                    loops[record.loop] = functions.loop(record.loop, first(LoopContext(record)))
                }
                continue
            }
            guard let change = try? loops[record.loop]?.apply(payload, in: LoopContext(record)) else {
                violated(.appliedOnce, "event \(record.sequence) of loop \(record.loop) on disk cannot be decoded")
                continue
            }
            if change.effects.count != record.effects.count {
                violated(
                    .nothingLost,
                    """
                    replayed, event \(record.sequence) of loop \(record.loop) asks for \(change.effects.count) effects, and the \
                    journal has \(record.effects.count) of it: update is not pure, or some were lost
                    """)
            }
        }
    }

    private func first(_ context: LoopContext) -> Program.Model {
        functions.first(of: LoopID(context.loop) ?? .main, in: context).model
    }

    /// The journal has nothing of the loop any more; its model is what it was last.
    func removed(_ loop: LoopID) { last[loop] = nil }

    /// Compares the model of a process with the events on disk.
    package func compare(_ loop: LoopID, _ model: Payload, upTo sequence: UInt64?, in process: String) {
        guard sequence == last[loop] else {
            let (mine, theirs) = (last[loop].map(String.init) ?? "nothing", sequence.map(String.init) ?? "nothing")
            violated(.nothingLost, "\(process) has loop \(loop) up to event \(theirs), and on disk is event \(mine)")
            return
        }
        // Of a removed loop a process has the last model, and one that starts later has none but the first.
        let begins = first(LoopContext(loop: loop.name))
        var expected = [self.model(of: loop) ?? begins]
        if last[loop] == nil {
            // Only the process knows the context of a start that is not on disk.
            guard !Program._usesContext else { return }
            expected.append(begins)
        }
        if !expected.contains(where: { isEqual($0, model, of: loop) }) {
            violated(
                .appliedOnce,
                """
                the model of loop \(loop) in \(process) differs from the one that its events produce; if no event was applied \
                twice or left out, then update is not pure, or the model changes when it is encoded and decoded
                """)
        }
    }

    /// Whether a model is the one in the payload.
    ///
    /// If the bytes differ, models are compared, because equal sets and dictionaries may be encoded in different orders.
    package func isEqual(_ expected: Program.Model, _ bytes: Payload, of loop: LoopID) -> Bool {
        if (try? functions.encode(expected, of: loop, as: nil))?.bytes == bytes.bytes { return true }
        guard let expected = ErasedValue.content(of: expected) as? any Equatable,
            let other = try? functions.model(bytes, of: loop)
        else { return false }
        return expected.isEqual(to: ErasedValue.content(of: other))
    }
}

extension Equatable {
    /// Whether a value of any type is of this one, and equal.
    func isEqual(to other: Any) -> Bool { (other as? Self) == self }
}
