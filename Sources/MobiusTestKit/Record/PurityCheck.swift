import MobiusCore
import MobiusDriver
import MobiusJournal
import MobiusProgram
import MobiusWire

/// Replays the events of each loop several times, to find an `update` whose results depend on more than its arguments.
///
/// What it cannot find: a clock that says the same at each replay, as one that is cut to days does.
final class PurityCheck<Program: LoopProgram> {
    /// An event that was applied, and what it asked for; without an event the start, or one that an operator dropped.
    private struct Step {
        let context: LoopContext
        let event: Payload?
        let effects: [Payload]
    }

    /// An even chance stays unseen in as many replays once in 256 runs.
    private static var replays: Int { 8 }
    /// The most events that are kept: those of a fleet that ran for long are not replayed.
    private static var most: Int { 100_000 }

    private let first: (LoopContext) -> First<Program.Model, Program.Effect>
    private let codecs = ProgramCodecs<Program>()
    private var lives: [LoopID: [Step]] = [:]
    private var count = 0

    init(_ first: @escaping (LoopContext) -> First<Program.Model, Program.Effect>) {
        self.first = first
    }

    func committed(_ records: [JournalRecord]) {
        for case .event(let record) in records {
            // A loop that begins again has another model.
            if record.source == .start { lives[record.loop] = [] }
            count += 1
            guard count <= Self.most else {
                lives = [:]
                return
            }
            lives[record.loop]?.append(
                Step(context: LoopContext(record), event: record.event, effects: Array(record.effects)))
        }
    }

    /// Replays all loops; returns what differed.
    func faults() -> [String] {
        lives.sorted { $0.key.name < $1.key.name }.compactMap { loop, steps in
            var earlier: Program.Model?
            for _ in 0..<Self.replays {
                guard let start = steps.first else { return nil }
                var model = first(start.context).model
                if let fault = replay(steps, &model, of: loop) { return fault }
                if let earlier, !isSame(earlier, model) {
                    return """
                        replayed twice, the events of loop \(loop) lead to two models: update is not pure. What it needs of a \
                        clock or of chance belongs into its events.
                        """
                }
                earlier = model
            }
            return nil
        }
    }

    private func replay(_ steps: [Step], _ model: inout Program.Model, of loop: LoopID) -> String? {
        for step in steps {
            let effects: [Program.Effect]
            if let payload = step.event {
                guard let event = try? codecs.events.decode(payload) else { return nil }  // another check says so
                effects = Program.step(&model, event, step.context).effects
            } else if step.context == steps.first?.context {
                effects = first(step.context).effects
            } else {
                continue
            }
            let asksTheSame =
                effects.count == step.effects.count
                && zip(effects, step.effects).allSatisfy { isSame($0, $1) }
            guard asksTheSame else {
                return """
                    replayed, event \(step.context.number) of loop \(loop) asks for other effects than it did: update is not pure. \
                    What it needs of a clock or of chance belongs into its events.
                    """
            }
        }
        return nil
    }

    /// Whether an effect is the one in the payload: if the bytes differ, effects are compared, because equal sets and dictionaries may
    /// be encoded in different orders.
    private func isSame(_ effect: Program.Effect, _ payload: Payload) -> Bool {
        if (try? codecs.effects.encode(effect))?.bytes == payload.bytes { return true }
        guard let effect = effect as? any Equatable else { return false }
        return (try? codecs.effects.decode(payload)).map { effect.isEqual(to: $0) } ?? false
    }

    private func isSame(_ one: Program.Model, _ other: Program.Model) -> Bool {
        if let one = one as? any Equatable { return one.isEqual(to: other) }
        guard let one = try? codecs.models.encode(one), let other = try? codecs.models.encode(other) else {
            return true
        }
        return one.bytes == other.bytes
    }
}
