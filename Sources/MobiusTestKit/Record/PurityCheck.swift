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

    private let functions: any ProgramFunctions<Program>
    private var lives: [LoopID: [Step]] = [:]
    private var count = 0

    init(_ functions: any ProgramFunctions<Program>) {
        self.functions = functions
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
                let first = functions.first(of: loop, in: start.context)
                let replayed = functions.loop(loop, first.model)
                if let fault = replay(steps, first.effects, onto: replayed) { return fault }
                let model = replayed.model
                if let earlier, !isSame(earlier, model, of: loop) {
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

    private func replay(
        _ steps: [Step], _ first: [Program.Effect], onto loop: any ProgramLoop<Program>
    ) -> String? {
        for step in steps {
            let effects: [Program.Effect]
            if let payload = step.event {
                // That it cannot be decoded, another check says.
                guard let change = try? loop.apply(payload, in: step.context) else { return nil }
                effects = change.effects
            } else if step.context == steps.first?.context {
                effects = first
            } else {
                continue
            }
            let asksTheSame =
                effects.count == step.effects.count
                && zip(effects, step.effects).allSatisfy { isSame($0, $1, of: loop.id) }
            guard asksTheSame else {
                return """
                    replayed, event \(step.context.number) of loop \(loop.id) asks for other effects than it did: update is not pure. \
                    What it needs of a clock or of chance belongs into its events.
                    """
            }
        }
        return nil
    }

    /// Whether an effect is the one in the payload: if the bytes differ, effects are compared, because equal sets and dictionaries may
    /// be encoded in different orders.
    private func isSame(_ effect: Program.Effect, _ payload: Payload, of loop: LoopID) -> Bool {
        if (try? functions.encode(effect: effect, of: loop))?.bytes == payload.bytes { return true }
        guard let effect = ErasedValue.content(of: effect) as? any Equatable else { return false }
        return (try? functions.effect(payload, of: loop)).map { effect.isEqual(to: ErasedValue.content(of: $0)) }
            ?? false
    }

    private func isSame(_ one: Program.Model, _ other: Program.Model, of loop: LoopID) -> Bool {
        if let one = ErasedValue.content(of: one) as? any Equatable {
            return one.isEqual(to: ErasedValue.content(of: other))
        }
        guard let one = try? functions.encode(one, of: loop, as: nil),
            let other = try? functions.encode(other, of: loop, as: nil)
        else { return true }
        return one.bytes == other.bytes
    }
}
