public import Foundation
public import MobiusCore
import MobiusEngine
import MobiusJournal
import MobiusProgram
public import MobiusWire

// What has happened so far, as plain values.
extension TestFleet {
    /// How much time has passed since the fleet was made.
    public var now: Duration { inside { world, _ in world.now - HandlerStage.start } }

    /// What the calendar says.
    public var date: Date {
        inside { world, _ in Date(timeIntervalSince1970: Double(world.wall.milliseconds) / 1000) }
    }

    /// The model of the loop `main`: see ``model(of:)``.
    public var model: Program.Model { model(of: .main) }

    /// The model that a loop's events on disk make; the first one of a loop that has none.
    public func model(of loop: LoopID) -> Program.Model {
        inside { world, _ in world.model(of: loop) ?? world.scenario.first().model }
    }

    /// The events of the loop `main`: see ``events(of:)``.
    public var events: [Program.Event] { events(of: .main) }

    /// The events of a loop, in the order of the journal, in which they were applied: each of them once.
    public func events(of loop: LoopID) -> [Program.Event] {
        inside { _, record in record.events[loop] ?? [] }
    }

    /// Every effect that was asked for so far, of all loops, in the order of the journal.
    public var effects: [EffectRecord] {
        inside { world, _ in
            let statuses = world.coordinator?.statuses ?? [:]
            return world.chronicle.askedOrder.compactMap { world.record(of: $0, statuses[$0]) }
        }
    }

    /// The effects that have failed for good and are kept, in the order of their ids.
    public var deadLetters: [DeadLetterRecord] {
        inside { world, _ in
            world.chronicle.letters.values.sorted { $0.id < $1.id }.compactMap { letter in
                guard let effect = try? world.effects.decode(letter.effect) else { return nil }
                return DeadLetterRecord(
                    id: letter.id, effect: effect, reason: letter.reason, failures: Int(letter.failures))
            }
        }
    }

    /// How often handlers really began, and what came of it, in the order of the effects and their attempts.
    public var runs: [HandlerRecord] {
        inside { world, _ in
            world.chronicle.askedOrder.flatMap { id in
                (world.chronicle.attempts[id] ?? []).compactMap { world.record(of: $0) }
            }
        }
    }

    /// The runs of the handlers for one effect.
    public func runs(of id: EffectID) -> [HandlerRecord] {
        inside { world, _ in (world.chronicle.attempts[id] ?? []).compactMap { world.record(of: $0) } }
    }

    /// What has happened, a line each, the newest last; at least the last 5,000 lines.
    ///
    /// That is what the coordinator did, what handlers said, and what went wrong; without heartbeats.
    public var trace: [String] { inside { _, record in record.story } }
}

extension TestFleet where Program.Effect: Equatable {
    /// The runs of the handlers for effects equal to this one, of all loops.
    ///
    /// ```swift
    /// #expect(fleet.runs(of: .charge("tea")).count == 1)
    /// ```
    public func runs(of effect: Program.Effect) -> [HandlerRecord] { runs.filter { $0.effect == effect } }
}

extension World {
    fileprivate func record(of id: EffectID, _ status: EffectSummary?) -> TestFleet<Program>.EffectRecord? {
        guard let asked = chronicle.asked[id], let effect = try? effects.decode(asked.effect) else { return nil }
        var pool: String?
        if case .pool(let name) = asked.plan.destination { pool = name }
        return .init(
            id: id, effect: effect, pool: pool, state: state(of: id, asked, status),
            attempts: chronicle.attempts[id]?.count ?? 0)
    }

    private func state(
        of id: EffectID, _ asked: Chronicle.Asked, _ status: EffectSummary?
    ) -> TestFleet<Program>.EffectState {
        if chronicle.letters[id] != nil { return .dead }
        if chronicle.endings[id] != nil { return .ended }
        if case .timer = asked.plan.destination { return .timer }
        switch status?.phase {
        case .running: return .running
        case .pausing: return .pausing
        default: return .waiting
        }
    }

    fileprivate func record(of id: AttemptID) -> TestFleet<Program>.HandlerRecord? {
        guard let run = chronicle.runs[id], let effect = try? effects.decode(run.effect) else { return nil }
        let outcome: TestFleet<Program>.Outcome
        switch run.end {
        case .finished: outcome = .finished
        case .failed where run.isCancelled: outcome = .cancelled
        case .failed(_, let reason): outcome = .failed(reason)
        case nil: outcome = chronicle.dead.contains(run.process) ? .lost : .running
        }
        return .init(
            id: id.effect, effect: effect, attempt: id.attempt, process: run.process, outcome: outcome,
            events: run.events.compactMap { try? events.decode($0) }, began: run.start - HandlerStage.start)
    }
}
